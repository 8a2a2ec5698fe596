/** When a job was on its way. Milliseconds. */
interface Way {
  readonly submitMs: number;
  readonly callbackMs: number;
}

/** What one sample of the pool's threads showed, and the time that it stands for. Milliseconds. */
interface Sample {
  readonly fromMs: number;
  readonly toMs: number;
  /** `null` where the kernel does not tell. */
  readonly blockedThreads?: number | null | undefined;
}

/**
 * For how long the samples saw threads blocked in jobs, all together, and the standard error of that (a count's is its root;
 * one more, because seeing nobody does not mean that there was nobody). `null` where the kernel does not tell.
 */
export function blockedTime(
  jobs: readonly Way[],
  samples: readonly Sample[],
): { readonly ms: number; readonly errorMs: number } | null {
  const active = activeIntervals(jobs, samples);
  if (active.length === 0) return null;
  let seen = 0;
  let ms = 0;
  let longestMs = 0;
  for (const { blockedThreads, fromMs, toMs } of active) {
    if (blockedThreads == null) return null;
    seen += blockedThreads;
    ms += blockedThreads * (toMs - fromMs);
    longestMs = Math.max(longestMs, toMs - fromMs);
  }
  return { ms, errorMs: longestMs * Math.sqrt(seen + 1) };
}

/** The intervals in which jobs were under way. */
export function activeIntervals<Interval extends Pick<Sample, 'fromMs' | 'toMs'>>(
  jobs: readonly Way[],
  intervals: readonly Interval[],
): Interval[] {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { submitMs, callbackMs } of jobs) {
    first = Math.min(first, submitMs);
    last = Math.max(last, callbackMs);
  }
  return intervals.filter(({ toMs, fromMs }) => toMs > first && fromMs < last);
}
