/** For a measuring process: nothing that would be loaded beside what it measures. */

export { poolThreadsBetween } from '../../packages/plimsoll/dist/host/pool-threads.js';
export { watchLoopDelay } from '../../packages/plimsoll/dist/lab/loop-delay.js';
export { prepareModule } from '../../packages/plimsoll/dist/workloads/module.js';
