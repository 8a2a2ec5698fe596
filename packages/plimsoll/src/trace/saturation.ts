import type { TracedJob } from '../results/trace.js';

/** How long, in milliseconds, all threads of a pool were taken, how long jobs waited for one, and what threads were taken in all. */
export interface Saturation {
  readonly saturatedMs: number;
  readonly queuedMs: number;
  readonly takenMs: number;
  /** From the first submission to the last callback. */
  readonly activeMs: number;
}

/** @param size threads of the pool. */
export function saturationOf(jobs: readonly TracedJob[], size: number): Saturation {
  const running = changes(jobs.flatMap(({ startMs, endMs }) => [[startMs, endMs]] as const));
  const queued = changes(jobs.flatMap(({ submitMs, startMs }) => [[submitMs, startMs]] as const));
  return {
    saturatedMs: timeAtLeast(running, size),
    queuedMs: timeAtLeast(queued, 1),
    takenMs: jobs.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0),
    activeMs:
      jobs.length === 0
        ? 0
        : jobs.reduce((last, { callbackMs }) => Math.max(last, callbackMs), 0) - (jobs[0]?.submitMs ?? 0),
  };
}

type Change = readonly [timeMs: number, by: 1 | -1];

const changes = (spans: readonly (readonly [from: number, to: number])[]): Change[] =>
  spans
    .filter(([from, to]) => to > from)
    .flatMap(([from, to]): Change[] => [
      [from, 1],
      [to, -1],
    ])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);

function timeAtLeast(sorted: readonly Change[], least: number): number {
  let count = 0;
  let since = 0;
  let total = 0;
  for (const [time, by] of sorted) {
    if (count >= least) total += time - since;
    count += by;
    since = time;
  }
  return total;
}
