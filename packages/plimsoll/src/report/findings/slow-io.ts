import { slowJobLimit } from '../../libuv/pool-size.js';
import { median } from '../../stats/quantile.js';
import type { WorkloadRule } from './context.js';

/**
 * Lookups are slow I/O. From the time of one lookup alone and of all at once follows how many really ran at a time;
 * it is said only when the numbers of this run show it.
 */
export const halfForLookups: WorkloadRule = (workload) => {
  const { operations } = workload;
  if (workload.name !== 'dns' || operations === null) return [];
  const seen = workload.sizes.flatMap(({ size, medianMs, runs }) => {
    if (size < 4 || runs.length === 0 || operations < 4 * size) return [];
    const unloadedMs = median(runs.map((run) => run.unloadedMs));
    return [{ size, unloadedMs, atOnce: (operations * unloadedMs) / medianMs }];
  });
  // A lookup of well under a millisecond spends its time on the event loop, not in the pool.
  const shown = seen.filter(
    ({ size, unloadedMs, atOnce }) =>
      unloadedMs >= 2 && atOnce <= 1.15 * slowJobLimit(size) && atOnce >= 0.7 * slowJobLimit(size),
  );
  const largest = shown.at(-1);
  if (largest === undefined || shown.length < seen.length) return [];
  const { size, unloadedMs, atOnce } = largest;
  return [
    {
      id: 'bench.half-for-lookups',
      severity: 'note',
      text: `dns: only half of the pool serves lookups: with ${size} threads, ${operations} lookups of ${unloadedMs.toFixed(1)} ms ran ${atOnce.toFixed(1)} at a time`,
      evidence: { sizes: shown.map((s) => s.size), atOnce: shown.map((s) => s.atOnce), unloadedMs },
    },
  ];
};
