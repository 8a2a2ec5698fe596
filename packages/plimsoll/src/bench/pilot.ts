import type { Measurement } from '../lab/messages.js';

/** What a pilot run says about the runs to come. */
export interface Pilot {
  readonly rounds: number;
  /** How long one run is likely to take from start to end, in milliseconds. */
  readonly expectedMs: number;
}

const MOST_ROUNDS = 500;

/**
 * Fix the work of every run of a workload from one run at the baseline: as many rounds as take `runMs`, at least one.
 *
 * @param wallMs time of the whole pilot process, which did one measured round.
 */
export function planRounds(pilot: Pick<Measurement, 'ms'>, wallMs: number, runMs: number): Pilot {
  const rounds = Math.min(MOST_ROUNDS, Math.max(1, Math.ceil(runMs / pilot.ms)));
  return { rounds, expectedMs: wallMs + (rounds - 1) * pilot.ms };
}
