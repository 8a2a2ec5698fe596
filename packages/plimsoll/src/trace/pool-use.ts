import type { TracedJob } from '../results/trace.js';

/** How a pool was used; milliseconds. */
export interface PoolUse {
  /** From the first submission to the last callback. */
  readonly activeMs: number;
  /** What threads were taken in all. */
  readonly takenMs: number;
  /** All threads were taken. */
  readonly saturatedMs: number;
  /** At least one job waited for a thread. */
  readonly queuedMs: number;
  /** By kind of job, what they had of threads while others waited. */
  readonly heldMs: ReadonlyMap<string, number>;
}

interface Change {
  readonly at: number;
  readonly by: 1 | -1;
  /** The kind of a job on a thread; `null` of one that waits. */
  readonly kind: string | null;
}

/** @param size threads of the pool. */
export function poolUse(jobs: readonly TracedJob[], size: number): PoolUse {
  const changes = jobs.flatMap(({ kind, submitMs, startMs, endMs }): Change[] => [
    ...(startMs > submitMs ? span(submitMs, startMs, null) : []),
    ...(endMs > startMs ? span(startMs, endMs, kind) : []),
  ]);
  const running = new Map<string, number>();
  const heldMs = new Map<string, number>();
  let waiting = 0;
  let taken = 0;
  let since = 0;
  const total = { takenMs: 0, saturatedMs: 0, queuedMs: 0 };
  for (const { at, by, kind } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    const ms = at - since;
    since = at;
    total.takenMs += taken * ms;
    if (taken >= size) total.saturatedMs += ms;
    if (waiting > 0 && ms > 0) {
      total.queuedMs += ms;
      for (const [held, count] of running) heldMs.set(held, (heldMs.get(held) ?? 0) + count * ms);
    }
    if (kind === null) waiting += by;
    else {
      taken += by;
      running.set(kind, (running.get(kind) ?? 0) + by);
    }
  }
  const last = jobs.reduce((latest, { callbackMs }) => Math.max(latest, callbackMs), 0);
  return { ...total, heldMs, activeMs: jobs.length === 0 ? 0 : last - (jobs[0]?.submitMs ?? 0) };
}

const span = (from: number, to: number, kind: string | null): Change[] => [
  { at: from, by: 1, kind },
  { at: to, by: -1, kind },
];
