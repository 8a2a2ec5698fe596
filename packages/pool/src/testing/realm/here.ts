import type { Simulation } from '../simulation.js';

/** What the function gets that `scripts/bundle.mjs` makes of this folder and the pool: each pool has its own code. */
declare const SIMULATION: Simulation;

export const simulation = SIMULATION;
