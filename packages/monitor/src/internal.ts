// For the other packages of this repository; no part of the public interface.
export { type Counters, PoolMemory } from './worker/pool-memory.js';
export { findVariable } from './worker/symbols.js';
