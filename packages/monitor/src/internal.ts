/**
 * Parts of the monitor that the other packages of this repository are made of. No part of the public interface: what is here
 * changes in any version.
 */
export { type Counters, PoolMemory } from './worker/pool-memory.js';
export { findVariable } from './worker/symbols.js';
