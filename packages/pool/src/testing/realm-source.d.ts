import type { Realm, Simulation } from './simulation.js';

/** `realm/entry.ts` with all that it imports, as a function: `scripts/bundle.mjs` writes the module. */
export declare function openRealm(simulation: Simulation): Realm;
