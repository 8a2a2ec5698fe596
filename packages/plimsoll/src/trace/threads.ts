import { grouped } from '../collections/grouped.js';
import { lowerBound } from '../collections/lower-bound.js';
import { sum } from '../collections/sum.js';
import { namesPoolThreads, POOL_THREAD } from '../host/pool-threads.js';
import type { PoolEvent } from '../libuv/job.js';
import type { ThreadUsage, UsageInterval } from '../results/trace.js';
import type { ProcessLog } from './process-log.js';

const KERNEL = /^iou-/;

/**
 * The pool's threads of a recorded process, or `null` when they cannot be told.
 *
 * Before libuv 1.50 they have no name of their own. The pool creates all of its threads at once, so there they are what
 * appeared between the same two samples as one that is known from its work, without Workers; threads that an add-on
 * started in those 50 ms are among them.
 */
export function poolThreads({ samples, process, events, workers }: ProcessLog): ReadonlySet<number> | null {
  if (samples.length === 0) return null;
  const all = samples.flatMap((sample) => sample.new);
  const named = all.filter(([, name]) => name === POOL_THREAD).map(([tid]) => tid);
  if (named.length > 0 || namesPoolThreads(process.libuv)) return new Set(named);
  // What nothing used has no threads.
  if (events.length === 0) return new Set();
  const working = new Set(events.filter(({ ph }) => ph === 'B').map(({ tid }) => tid));
  const bursts = samples
    .slice(1)
    .map((sample) => sample.new.filter(([tid, name]) => !workers.has(tid) && !KERNEL.test(name)))
    .map((burst) => burst.map(([tid]) => tid))
    .filter((burst) => burst.length > 0);
  const burst = bursts.find((tids) => tids.some((tid) => working.has(tid))) ?? bursts[0] ?? [];
  return new Set([...burst, ...working]);
}

/** A sample of all threads takes no longer than this; what began and ended meanwhile cannot be told. Microseconds. */
const SAMPLE_US = 2000;

/** Whether a thread was in a job at the time of a sample, as far as events tell. */
function jobsOnThreads(events: readonly PoolEvent[]): (tid: number, at: number) => boolean {
  const runs = events.filter(({ ph }) => ph === 'B' || ph === 'E');
  const byThread = grouped(runs, ({ tid }) => tid);
  return (tid, at) => {
    const ofThread = byThread.get(tid) ?? [];
    const next = lowerBound(ofThread, ({ ts }) => ts <= at);
    const end = ofThread[next];
    return ofThread[next - 1]?.ph === 'B' && end?.ph === 'E' && end.ts > at + SAMPLE_US;
  };
}

const NS_PER_MS = 1e6;

/**
 * What the threads of a process used, sample by sample. The recorder's own thread is left out.
 *
 * A thread that waits for work and one whose job waits for another thread are both in futex(2); only events tell them apart.
 *
 * @param clock from microseconds of process.hrtime to milliseconds since the recording began.
 */
export function usageIntervals(
  { samples, process, recorder, events }: ProcessLog,
  pool: ReadonlySet<number> | null,
  clock: (us: number) => number,
): UsageInterval[] {
  const isInJob = jobsOnThreads(events);
  return samples.slice(1).map((sample, index) => {
    const states = new Map(sample.use.map(([tid, , , state]) => [tid, state]));
    const usage = (isWanted: (tid: number) => boolean): ThreadUsage => {
      const wanted = sample.use.filter(([tid]) => tid !== recorder && isWanted(tid));
      return {
        cpuMs: sum(wanted.map(([, cpu]) => cpu)) / NS_PER_MS,
        coreWaitMs: sum(wanted.map(([, , waited]) => waited)) / NS_PER_MS,
      };
    };
    const isLoop = (tid: number): boolean => tid === process.pid;
    const isPool = (tid: number): boolean => pool?.has(tid) === true;
    const isBlocked = (tid: number): boolean => {
      const state = states.get(tid) ?? 0;
      return state === 2 || (state === 0 && isInJob(tid, sample.at));
    };
    return {
      fromMs: clock(samples[index]?.at ?? sample.at),
      toMs: clock(sample.at),
      eventLoop: usage(isLoop),
      pool: usage(isPool),
      other: usage((tid) => !isLoop(tid) && !isPool(tid)),
      blockedThreads: sample.tells ? [...(pool ?? [])].filter(isBlocked).length : null,
    };
  });
}
