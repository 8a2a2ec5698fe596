// For packages of this repository only; not part of the public API.
export { type Counters, PoolMemory } from './worker/pool-memory.js';
export { findVariable } from './worker/symbols.js';
