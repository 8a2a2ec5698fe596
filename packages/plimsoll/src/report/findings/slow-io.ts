import { slowJobLimit } from '../../libuv/pool-size.js';
import type { WorkloadRule } from './context.js';

/**
 * Lookups are slow I/O. From the time of one lookup alone and of all at once follows how many really ran at a time;
 * it is said only when the numbers of this run show it.
 */
export const halfForLookups: WorkloadRule = (workload) => {
  const { operations, unloadedLatencyMs } = workload;
  if (workload.name !== 'dns' || operations === null || unloadedLatencyMs === null) return [];
  const seen = workload.sizes.flatMap(({ size, workMs }) => {
    if (size < 4 || operations < 4 * size) return [];
    return [{ size, concurrency: (operations * unloadedLatencyMs) / workMs }];
  });
  // A lookup of well under a millisecond spends its time on the event loop, not in the pool.
  const shown = seen.filter(
    ({ size, concurrency }) =>
      unloadedLatencyMs >= 2 &&
      concurrency <= 1.15 * slowJobLimit(size) &&
      concurrency >= 0.7 * slowJobLimit(size),
  );
  const largest = shown.at(-1);
  if (largest === undefined || shown.length < seen.length) return [];
  const { size, concurrency } = largest;
  return [
    {
      id: 'bench.half-for-lookups',
      severity: 'note',
      text: `dns: only half of the pool serves lookups: with ${size} threads, ${operations} lookups of ${unloadedLatencyMs.toFixed(1)} ms ran ${concurrency.toFixed(1)} at a time`,
      evidence: {
        sizes: shown.map((one) => one.size),
        concurrency: shown.map((one) => one.concurrency),
        unloadedLatencyMs,
      },
    },
  ];
};
