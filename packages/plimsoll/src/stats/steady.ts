import { median } from './quantile.js';

const MOST_WINDOWS = 5;
/** Shorter windows differ by the scheduler's whim, which is noise and no drift. */
const LEAST_WINDOW_MS = 200;
const AGREEMENT = 1.05;

/**
 * Whether a run had reached its steady state: its rounds, cut into up to five windows of 200 ms or more, have medians
 * of which the last three agree within 5 %. `null` when there are fewer than three windows, which can tell nothing.
 *
 * Warm-up must be tested and not assumed: Barrett et al., "Virtual machine warmup blows hot and cold" (2017).
 *
 * @param roundMs time of each round in milliseconds, in order.
 * @example
 * isSteady([400, 310, 300, 310, 300]); // true
 */
export function isSteady(roundMs: readonly number[]): boolean | null {
  const total = roundMs.reduce((sum, ms) => sum + ms, 0);
  const windows = Math.min(MOST_WINDOWS, roundMs.length, Math.floor(total / LEAST_WINDOW_MS));
  if (windows < 3) return null;
  const medians = Array.from({ length: windows }, (_, window) =>
    median(
      roundMs.slice(
        Math.floor((window * roundMs.length) / windows),
        Math.floor(((window + 1) * roundMs.length) / windows),
      ),
    ),
  );
  const last = medians.slice(-3);
  return Math.max(...last) <= AGREEMENT * Math.min(...last);
}
