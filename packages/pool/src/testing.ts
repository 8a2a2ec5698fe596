// All of `@plimsoll/pool`, so that tests can replace that module, with a `Pool` for tests.
export * from './index.js';
export type { Fault, FaultKind, InjectedFault } from './testing/faults.js';
export type { Step } from './testing/simulation.js';
export type { TestPoolOptions } from './testing/test-options.js';
export { TestPool, TestPool as Pool } from './testing/test-pool.js';
