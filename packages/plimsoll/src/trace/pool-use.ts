import type { Caller, TracedJob } from '../results/trace.js';

/** Who waited for a thread behind whom, in milliseconds; `null` while no job had a thread: one was waking up. */
export type Behind = ReadonlyMap<Caller, ReadonlyMap<Caller | null, number>>;

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
  readonly behind: Behind;
}

interface Change {
  readonly at: number;
  readonly by: 1 | -1;
  readonly job: TracedJob;
  readonly waits: boolean;
}

/**
 * The wait of a job is shared out, moment by moment, among those that have the threads. While some are free, what waits is a
 * lookup, which only half of the pool serves: it waits for those that have this half.
 *
 * @param size threads of the pool.
 */
export function poolUse(jobs: readonly TracedJob[], size: number): PoolUse {
  const changes = jobs.flatMap((job) => [
    ...span(job, job.submitMs, job.startMs, true),
    ...span(job, job.startMs, job.endMs, false),
  ]);
  const waiting = new Map<Caller, number>();
  const running = new Map<Caller, number>();
  const slow = new Map<Caller, number>();
  const behind = new Map<Caller, Map<Caller | null, number>>();
  let taken = 0;
  let since = 0;
  const total = { takenMs: 0, saturatedMs: 0, queuedMs: 0 };
  for (const { at, by, job, waits } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    const ms = at - since;
    since = at;
    total.takenMs += taken * ms;
    if (taken >= size) total.saturatedMs += ms;
    if (waiting.size > 0 && ms > 0) {
      total.queuedMs += ms;
      share(waiting, taken < size && slow.size > 0 ? slow : running, ms, behind);
    }
    count(waits ? waiting : running, job.caller, by);
    if (waits) continue;
    taken += by;
    if (job.slowIo) count(slow, job.caller, by);
  }
  const last = jobs.reduce((latest, { callbackMs }) => Math.max(latest, callbackMs), 0);
  return { ...total, behind, activeMs: jobs.length === 0 ? 0 : last - (jobs[0]?.submitMs ?? 0) };
}

const span = (job: TracedJob, from: number, to: number, waits: boolean): Change[] =>
  to <= from
    ? []
    : [
        { at: from, by: 1, job, waits },
        { at: to, by: -1, job, waits },
      ];

function count(counts: Map<Caller, number>, caller: Caller, by: number): void {
  const now = (counts.get(caller) ?? 0) + by;
  if (now === 0) counts.delete(caller);
  else counts.set(caller, now);
}

const NOBODY: ReadonlyMap<null, number> = new Map([[null, 1]]);

function share(
  waiting: ReadonlyMap<Caller, number>,
  running: ReadonlyMap<Caller, number>,
  ms: number,
  behind: Map<Caller, Map<Caller | null, number>>,
): void {
  const holders: ReadonlyMap<Caller | null, number> = running.size === 0 ? NOBODY : running;
  let threads = 0;
  for (const held of holders.values()) threads += held;
  for (const [victim, jobs] of waiting) {
    const sums = behind.get(victim) ?? new Map<Caller | null, number>();
    behind.set(victim, sums);
    for (const [holder, held] of holders)
      sums.set(holder, (sums.get(holder) ?? 0) + (ms * jobs * held) / threads);
  }
}
