import type { IntervalHistogram } from 'node:perf_hooks';

const MOST_GAPS = 5000;

/** The gaps that an event-loop sampler saw in milliseconds, recovered from the ranks of its histogram. */
export function gapsOf(histogram: IntervalHistogram): number[] {
  const samples = Math.min(histogram.count, MOST_GAPS);
  return Array.from(
    { length: samples },
    (_, rank) => histogram.percentile(((rank + 1) * 100) / samples) / 1e6,
  );
}
