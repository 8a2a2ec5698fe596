import type { Simulation } from '../simulation.js';

/** What the function gets that `scripts/bundle.mjs` makes of this folder and the pool: each pool has its own code. */
declare const SIMULATION: Simulation;

export let simulation = SIMULATION;

/** The code is that of another pool from now on; the pool before it must have ended. */
export function enter(next: Simulation): void {
  simulation = next;
}
