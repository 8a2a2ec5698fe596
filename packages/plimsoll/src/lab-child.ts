/**
 * `plimsoll/lab/child`: what a measuring process needs, and nothing that would be loaded beside what it measures.
 *
 * Unstable, like `plimsoll/lab`.
 */

export { peakRssMb, rssMb } from './host/memory.js';
export { poolThreadsBetween } from './host/pool-threads.js';
export { answerOnce, answerRounds, CannotDo, type Opened, type Yield } from './lab/child/answer.js';
export { watchLoopDelay } from './lab/loop-delay.js';
export { prepareModule } from './workloads/module.js';
