import { lowerBound } from '../collections/lower-bound.js';
import type { Caller, TracedJob, Window } from '../results/trace.js';

/** Milliseconds that a caller's jobs waited behind the holders of the threads; behind `null` while a thread woke up. */
export type Behind = ReadonlyMap<Caller, ReadonlyMap<Caller | null, number>>;

/** How a pool was used, by its windows; milliseconds. */
export interface PoolUse {
  /** From the first submission to the last callback. */
  readonly activeMs: number;
  /** Threads were taken, in sum over the threads. */
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
 * The wait of a job is shared out, moment by moment, among the jobs on the threads. While some threads are free, the waiting
 * job is a lookup, which only half of the pool serves: it waits for the lookups on threads.
 *
 * @param size threads of the pool.
 */
export function poolUse(jobs: readonly TracedJob[], size: number, windows: readonly Window[]): PoolUse {
  const changes = jobs.flatMap((job) => [
    ...span(job, job.submitMs, job.startMs, true),
    ...span(job, job.startMs, job.endMs, false),
  ]);
  const waiting = new Map<Caller, number>();
  const running = new Map<Caller, number>();
  const slow = new Map<Caller, number>();
  const behind = new Map<Caller, Map<Caller | null, number>>();
  let queued = 0;
  let taken = 0;
  let since = 0;
  let takenMs = 0;
  let saturatedMs = 0;
  let queuedMs = 0;
  for (const { at, by, job, waits } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    const ms = weighed(since, at, windows);
    takenMs += taken * ms;
    if (taken >= size) saturatedMs += ms;
    if (queued > 0) queuedMs += ms;
    if (at > since) share(waiting, taken < size && slow.size > 0 ? slow : running, at - since, behind);
    since = at;
    count(waits ? waiting : running, job.caller, waits ? by * job.weight : by);
    if (waits) queued += by;
    else taken += by;
    if (!waits && job.slowIo) count(slow, job.caller, by);
  }
  const first = jobs[0]?.submitMs ?? 0;
  const last = jobs.reduce((latest, { callbackMs }) => Math.max(latest, callbackMs), first);
  const scale = (last - first) / (weighed(first, last, windows) || 1);
  return {
    activeMs: last - first,
    takenMs: scale * takenMs,
    saturatedMs: scale * saturatedMs,
    queuedMs: scale * queuedMs,
    behind,
  };
}

const span = (job: TracedJob, from: number, to: number, waits: boolean): Change[] =>
  to <= from
    ? []
    : [
        { at: from, by: 1, job, waits },
        { at: to, by: -1, job, waits },
      ];

/** The part of a time that lies in windows, each with its weight. */
function weighed(from: number, to: number, windows: readonly Window[]): number {
  let ms = 0;
  for (let at = lowerBound(windows, ({ toMs }) => toMs <= from); at < windows.length; at++) {
    const { fromMs, toMs, weight } = windows[at] as Window;
    if (fromMs >= to) break;
    ms += weight * (Math.min(to, toMs) - Math.max(from, fromMs));
  }
  return ms;
}

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
