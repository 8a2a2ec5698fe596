import { lowerBound } from '../collections/lower-bound.js';

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
  /** `false` where not all jobs of it were recorded. */
  readonly recorded?: boolean | undefined;
}

/** The intervals of which all jobs were recorded, and whether a time lies in one: only there can jobs and use be set against each other. */
export function recordedUsage<Own extends Interval>(
  usage: readonly Own[],
): { readonly usage: readonly Own[]; readonly isSeen: (ms: number) => boolean } {
  const recorded = usage.filter((interval) => interval.recorded !== false);
  if (recorded.length === usage.length) return { usage, isSeen: () => true };
  return {
    usage: recorded,
    isSeen(ms) {
      const next = recorded[lowerBound(recorded, ({ toMs }) => toMs < ms)];
      return next !== undefined && next.fromMs <= ms;
    },
  };
}
