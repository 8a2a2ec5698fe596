/**
 * `plimsoll/lab/child`: what a measuring process needs, and nothing that would be loaded beside what it measures.
 *
 * Unstable, like `plimsoll/lab`.
 */

export { poolThreadsBetween } from './host/pool-threads.js';
export { watchLoopDelay } from './lab/loop-delay.js';
export { prepareModule } from './workloads/module.js';
