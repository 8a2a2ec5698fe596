import { most } from '../collections/extremes.js';
import { grouped } from '../collections/grouped.js';
import { itemAt } from '../collections/item-at.js';
import { remembered } from '../collections/remembered.js';
import { sum } from '../collections/sum.js';
import { Tally } from '../collections/tally.js';
import { replay } from '../libuv/replay.js';
import type { Caller, TracedJob } from '../results/trace.js';
import type { TracedProgram } from '../results/trace-summary.js';
import type { TimedJob } from './budget.js';

type Wait = TracedProgram['waits'][number];
type Blocking = TracedProgram['blocking'][number];

export type PoolUse = ReturnType<typeof poolUse>;

/**
 * How a pool of `size` threads was used. Waiting is shared out, moment by moment, among those that have the threads. While
 * some are free, what waits is a lookup, which only half of the pool serves: it waits for those that have this half.
 */
export function poolUse(jobs: readonly TracedJob[], size: number) {
  const [waiting, running, slow] = [new Tally<Caller>(), new Tally<Caller>(), new Tally<Caller>()];
  const changes = jobs.flatMap(({ submitMs, startMs, endMs, caller, slowIo }) => [
    { at: submitMs, by: 1, of: waiting, caller, slowIo },
    { at: startMs, by: -1, of: waiting, caller, slowIo },
    { at: startMs, by: 1, of: running, caller, slowIo },
    { at: endMs, by: -1, of: running, caller, slowIo },
  ]);
  /** Who waited for a thread behind whom, in milliseconds; `null` while no job had a thread: one was waking up. */
  const behind = new Map<Caller, Tally<Caller | null>>();
  const share = (ms: number, holders: Tally<Caller>): void => {
    const threads = sum([...holders.values()]);
    for (const [victim, jobs] of waiting) {
      const shares = behind.get(victim) ?? new Tally<Caller | null>();
      behind.set(victim, shares);
      if (threads === 0) shares.add(null, ms * jobs);
      for (const [holder, held] of holders) shares.add(holder, (ms * jobs * held) / threads);
    }
  };
  const used = { saturatedMs: 0, queuedMs: 0 };
  let taken = 0;
  let since = 0;
  for (const { at, by, of, caller, slowIo } of changes.sort((a, b) => a.at - b.at)) {
    const ms = at - since;
    since = at;
    if (taken >= size) used.saturatedMs += ms;
    if (waiting.size > 0 && ms > 0) {
      used.queuedMs += ms;
      share(ms, taken < size && slow.size > 0 ? slow : running);
    }
    of.add(caller, by);
    if (of === waiting) continue;
    taken += by;
    if (slowIo) slow.add(caller, by);
  }
  const last = most(jobs.map(({ callbackMs }) => callbackMs));
  const activeMs = jobs.length === 0 ? 0 : last - (jobs[0]?.submitMs ?? 0);
  const takenMs = sum(jobs.map(({ startMs, endMs }) => endMs - startMs));
  return { ...used, jobs, size, behind, activeMs, takenMs };
}

export const total = (waits: readonly { readonly ms: number }[]): number => sum(waits.map(({ ms }) => ms));

/** By the time of each group. */
export const largestFirst = <Key>(waits: ReadonlyMap<Key, readonly Wait[]>): [Key, readonly Wait[]][] =>
  [...waits].sort((a, b) => total(b[1]) - total(a[1]));

/** What is less of all waiting is put together, by request and cause, and as a fall left out. */
const LEAST_SHARE = 0.0005;

/** The waiting of all jobs of a program, by who called and by its cause; that for a thread by who had the threads, too. */
export function waitsOf(timed: readonly TimedJob[], uses: readonly Pick<PoolUse, 'behind'>[]): Wait[] {
  const forOthers = [...grouped(timed, ({ job }) => job.caller)].flatMap(([caller, alike]) => [
    waitOf(caller, 'core', sum(alike.map(({ parts }) => parts.coreWaitMs))),
    waitOf(caller, 'blocked', sum(alike.map(({ parts }) => parts.blockedMs))),
    waitOf(caller, 'loop', sum(alike.map(({ parts }) => parts.eventLoopMs))),
  ]);
  const forThreads = uses.flatMap(({ behind }) =>
    [...behind].flatMap(([victim, holders]) =>
      [...holders].map(([holder, ms]) => waitOf(victim, 'thread', ms, holder && siteOf(holder))),
    ),
  );
  const waits = mergeAlike([...forOthers, ...forThreads].filter(({ ms }) => ms > 0));
  const least = LEAST_SHARE * total(waits);
  const small = waits.filter(({ ms }) => ms < least);
  const rest = mergeAlike(small.map((wait) => ({ ...wait, frames: [], kind: '…', behind: null })));
  return [...waits.filter(({ ms }) => ms >= least), ...rest].sort((a, b) => b.ms - a.ms);
}

const waitOf = (caller: Caller, cause: Wait['cause'], ms: number, behind: Wait['behind'] = null): Wait => ({
  ...caller,
  ...{ cause, behind, ms },
});

/** One for those that differ in their time only. */
const mergeAlike = (waits: readonly Wait[]): Wait[] =>
  [...grouped(waits, ({ ms, ...wait }) => JSON.stringify(wait))].map(([, alike]) => ({
    ...(alike[0] as Wait),
    ms: total(alike),
  }));

/** Each costs a replay of all jobs. */
const MOST_BLOCKERS = 8;

/**
 * By how much the waits for a thread would fall if a call took no time, for the calls behind which most was waited. The queue of
 * each pool is replayed as it was and without the call; submissions stay where they were. A job holds its thread from when the
 * queue gave it one, which may have to wait for a core before it starts the job.
 */
export function blockingOf(uses: readonly PoolUse[], waits: readonly Wait[]): Blocking[] {
  const siteKey = remembered((caller: Caller) => JSON.stringify(siteOf(caller)));
  const waited = new Tally<string>();
  const pools = uses.map(({ jobs, size }) => {
    const queue = jobs.map(({ submitMs, startMs, endMs, slowIo, caller }) => {
      const site = siteKey(caller);
      waited.add(site, startMs - submitMs);
      return { submitted: submitMs, kind: slowIo ? 'dns' : 'work', endMs, site } as const;
    });
    const taken = replay(queue, size, (index, now) => Math.max(now, itemAt(queue, index).endMs));
    return { queue, size, taken };
  });
  const fallsBehind = (blocker: string): Tally<string> => {
    const falls = new Tally<string>();
    for (const { queue, size, taken } of pools)
      replay(queue, size, (index, now) => {
        const { site, endMs } = itemAt(queue, index);
        const takenMs = itemAt(taken, index);
        falls.add(site, takenMs - now);
        return site === blocker ? now : now + Math.max(0, endMs - takenMs);
      });
    return falls;
  };
  const forThreads = waits.filter(({ behind }) => behind !== null);
  return largestFirst(grouped(forThreads, ({ behind }) => JSON.stringify(behind)))
    .slice(0, MOST_BLOCKERS)
    .flatMap(([blocker]) =>
      [...fallsBehind(blocker)].map(([victim, fall]) => ({
        ...{ victim: JSON.parse(victim), blocker: JSON.parse(blocker) },
        // Where events were lost, the replay has longer waits than the recording.
        ...{ waitMs: waited.get(victim) ?? 0, fallsByMs: Math.min(fall, waited.get(victim) ?? 0) },
      })),
    )
    .filter(({ fallsByMs }) => fallsByMs > LEAST_SHARE * total(forThreads))
    .sort((a, b) => b.fallsByMs - a.fallsByMs);
}

/** The call alone, without the way to it: its innermost frame in the app. */
export function siteOf({ request, kind, frames }: Caller): NonNullable<Wait['behind']> {
  const frame = frames.findLast(({ file }) => file !== null) ?? frames.at(-1) ?? null;
  return { request, kind, frame };
}
