import { sum } from '../collections/sum.js';
import { namesPoolThreads, POOL_THREAD } from '../host/pool-threads.js';
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
    .map(({ new: appeared }) =>
      appeared.flatMap(([tid, name]) => (workers.has(tid) || KERNEL.test(name) ? [] : [tid])),
    )
    .filter((burst) => burst.length > 0);
  const burst = bursts.find((tids) => tids.some((tid) => working.has(tid))) ?? bursts[0] ?? [];
  return new Set([...burst, ...working]);
}

const NS_PER_MS = 1e6;

/**
 * What the threads of a process used, sample by sample. The recorder's own thread is left out. *
 * @param clock from microseconds of process.hrtime to milliseconds since the recording began.
 */
export function usageIntervals(
  { samples, process, recorder }: ProcessLog,
  pool: ReadonlySet<number> | null,
  clock: (us: number) => number,
): UsageInterval[] {
  return samples.slice(1).map((sample, index) => {
    const usage = (isWanted: (tid: number) => boolean): ThreadUsage => {
      const wanted = sample.use.filter(([tid]) => tid !== recorder && isWanted(tid));
      return {
        cpuMs: sum(wanted.map(([, cpu]) => cpu)) / NS_PER_MS,
        coreWaitMs: sum(wanted.map(([, , waited]) => waited)) / NS_PER_MS,
      };
    };
    const isLoop = (tid: number): boolean => tid === process.pid;
    const isPool = (tid: number): boolean => pool?.has(tid) === true;
    return {
      fromMs: clock(samples[index]?.at ?? sample.at),
      toMs: clock(sample.at),
      eventLoop: usage(isLoop),
      pool: usage(isPool),
      other: usage((tid) => !isLoop(tid) && !isPool(tid)),
      blockedThreads: sample.tells
        ? sample.use.filter(([tid, , , state]) => state === 2 && isPool(tid)).length
        : null,
    };
  });
}
