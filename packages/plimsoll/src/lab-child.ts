/**
 * `plimsoll/lab/child`: what a measuring process needs, and nothing that would be loaded beside what it measures.
 *
 * Unstable, like `plimsoll/lab`.
 */

export { peakRssMb, rssMb } from './host/memory.js';
export { answerOnce, answerRounds, CannotDo, type Opened, type Yield } from './lab/child/answer.js';
export { watchLoopDelay } from './lab/loop-delay.js';
export { prepareSleep } from './workloads/sleep.js';
