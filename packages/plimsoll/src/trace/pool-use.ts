import { most } from '../collections/extremes.js';
import { sum } from '../collections/sum.js';
import type { Caller, TracedJob } from '../results/trace.js';
import type { TracedProgram } from '../results/trace-summary.js';

/** Who waited for a thread behind whom, in milliseconds; `null` while no job had a thread: one was waking up. */
export type Behind = ReadonlyMap<Caller, ReadonlyMap<Caller | null, number>>;

/** How a pool was used; milliseconds. */
export interface PoolUse extends Pick<TracedProgram, 'activeMs' | 'saturatedMs' | 'queuedMs'> {
  /** What threads were taken in all. */
  readonly takenMs: number;
  readonly behind: Behind;
}

/**
 * The wait of a job is shared out, moment by moment, among those that have the threads. While some are free, what waits is a
 * lookup, which only half of the pool serves: it waits for those that have this half.
 *
 * @param size threads of the pool.
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
  const total = { takenMs: 0, saturatedMs: 0, queuedMs: 0 };
  let taken = 0;
  let since = 0;
  for (const { at, by, of, caller, slowIo } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    const ms = at - since;
    since = at;
    total.takenMs += taken * ms;
    if (taken >= size) total.saturatedMs += ms;
    if (waiting.size > 0 && ms > 0) {
      total.queuedMs += ms;
      share(waiting, taken < size && slow.size > 0 ? slow : running, ms, behind);
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

const NOBODY: ReadonlyMap<null, number> = new Map([[null, 1]]);

function share(
  waiting: Tally<Caller>,
  running: Tally<Caller>,
  ms: number,
  behind: Map<Caller, Tally<Caller | null>>,
): void {
  const holders: ReadonlyMap<Caller | null, number> = running.size === 0 ? NOBODY : running;
  const threads = sum([...holders.values()]);
  for (const [victim, jobs] of waiting) {
    const shares = behind.get(victim) ?? new Tally();
    behind.set(victim, shares);
    for (const [holder, held] of holders) shares.add(holder, (ms * jobs * held) / threads);
  }
}
