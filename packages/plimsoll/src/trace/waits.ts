import { most } from '../collections/extremes.js';
import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import type { Caller, TracedJob } from '../results/trace.js';
import type { TracedProgram } from '../results/trace-summary.js';
import type { TimedJob } from './budget.js';

type Wait = TracedProgram['waits'][number];

interface PoolUse extends Pick<TracedProgram, 'activeMs' | 'saturatedMs' | 'queuedMs'> {
  /** Of all threads together. */
  readonly takenMs: number;
  /** Who waited for a thread behind whom, in milliseconds; `null` while no job had a thread: one was waking up. */
  readonly behind: ReadonlyMap<Caller, ReadonlyMap<Caller | null, number>>;
}

/**
 * How a pool of `size` threads was used. Waiting is shared out, moment by moment, among those that have the threads. While
 * some are free, what waits is a lookup, which only half of the pool serves: it waits for those that have this half.
 */
export function poolUse(jobs: readonly TracedJob[], size: number): PoolUse {
  const [waiting, running, slow] = [new Tally<Caller>(), new Tally<Caller>(), new Tally<Caller>()];
  const changes = jobs.flatMap(({ submitMs, startMs, endMs, caller, slowIo }) => [
    { at: submitMs, by: 1, of: waiting, caller, slowIo },
    { at: startMs, by: -1, of: waiting, caller, slowIo },
    { at: startMs, by: 1, of: running, caller, slowIo },
    { at: endMs, by: -1, of: running, caller, slowIo },
  ]);
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
  const total = { takenMs: 0, saturatedMs: 0, queuedMs: 0 };
  let taken = 0;
  let since = 0;
  for (const { at, by, of, caller, slowIo } of changes.sort((a, b) => a.at - b.at)) {
    const ms = at - since;
    since = at;
    total.takenMs += taken * ms;
    if (taken >= size) total.saturatedMs += ms;
    if (waiting.size > 0 && ms > 0) {
      total.queuedMs += ms;
      share(ms, taken < size && slow.size > 0 ? slow : running);
    }
    of.add(caller, by);
    if (of === waiting) continue;
    taken += by;
    if (slowIo) slow.add(caller, by);
  }
  const last = most(jobs.map(({ callbackMs }) => callbackMs));
  return { ...total, behind, activeMs: jobs.length === 0 ? 0 : last - (jobs[0]?.submitMs ?? 0) };
}

class Tally<Key> extends Map<Key, number> {
  add(key: Key, amount: number): void {
    const now = (this.get(key) ?? 0) + amount;
    if (now === 0) this.delete(key);
    else this.set(key, now);
  }
}

/** What is less of all waiting is put together, by request and cause. */
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
  const waits = together([...forOthers, ...forThreads].filter(({ ms }) => ms > 0));
  const least = LEAST_SHARE * sum(waits.map(({ ms }) => ms));
  const small = waits.filter(({ ms }) => ms < least);
  const rest = together(small.map((wait) => ({ ...wait, frames: [], kind: '…', behind: null })));
  return [...waits.filter(({ ms }) => ms >= least), ...rest].sort((a, b) => b.ms - a.ms);
}

const waitOf = (caller: Caller, cause: Wait['cause'], ms: number, behind: Wait['behind'] = null): Wait => ({
  ...caller,
  frames: [...caller.frames],
  cause,
  behind,
  ms,
});

/** One for those that differ in their time only. */
const together = (waits: readonly Wait[]): Wait[] =>
  [...grouped(waits, ({ ms, ...wait }) => JSON.stringify(wait))].map(([, alike]) => ({
    ...(alike[0] as Wait),
    ms: sum(alike.map(({ ms }) => ms)),
  }));

/** The call alone, without the way to it: its innermost frame in the app. */
export function siteOf({ request, kind, frames }: Caller): NonNullable<Wait['behind']> {
  const frame = frames.findLast(({ file }) => file !== null) ?? frames.at(-1) ?? null;
  return { request, kind, frame };
}
