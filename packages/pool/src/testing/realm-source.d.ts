import type { Realm, Simulation } from './simulation.js';

/** `simulated-thread.ts` and the pool, as a function. `scripts/bundle-testing.mjs` generates the module. */
export declare function openRealm(simulation: Simulation): Realm;
