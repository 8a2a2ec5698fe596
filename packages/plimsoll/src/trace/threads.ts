import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import { KERNEL_THREAD, namesPoolThreads, POOL_THREAD } from '../host/pool-threads.js';
import type { ThreadUsage, UsageInterval } from '../results/trace.js';
import type { Line } from './child/lines.cjs';
import type { ProcessLog } from './process-log.js';

/**
 * The pool's threads of a recorded process, or `null` when they cannot be told. Before libuv 1.50 they have no name of their
 * own. The pool creates all of its threads at once, so there they are what appeared between the same two samples as one that
 * is known from its work, without Workers; threads that an add-on started in those 50 ms are among them.
 */
export function poolThreads({ samples, process, events, workers }: ProcessLog): ReadonlySet<number> | null {
  if (samples.length === 0) return null;
  const named = samples.flatMap((sample) => sample.new).filter(([, name]) => name === POOL_THREAD);
  if (named.length > 0 || namesPoolThreads(process.libuv)) return new Set(named.map(([tid]) => tid));
  // What nothing used has no threads.
  if (events.length === 0) return new Set();
  const working = new Set(events.filter(({ ph }) => ph === 'B').map(({ tid }) => tid));
  const isWorker = (tid: number): boolean => workers.some((worker) => worker.tid === tid);
  const bursts = samples
    .slice(1)
    .map((sample) => sample.new.filter(([tid, name]) => !isWorker(tid) && !KERNEL_THREAD.test(name)))
    .filter((burst) => burst.length > 0);
  const burst = bursts.find((threads) => threads.some(([tid]) => working.has(tid))) ?? bursts[0] ?? [];
  return new Set([...burst.map(([tid]) => tid), ...working]);
}

const NS_PER_MS = 1e6;

const usageOf = (threads: Line<'threads'>['use'] = []): ThreadUsage => ({
  cpuMs: sum(threads.map(([, cpu]) => cpu)) / NS_PER_MS,
  coreWaitMs: sum(threads.map(([, , waited]) => waited)) / NS_PER_MS,
});

/** What the threads of a process used, sample by sample, in milliseconds since the recording began. */
export function usageIntervals(
  { samples, process, workers }: ProcessLog,
  pool: ReadonlySet<number> | null,
  clock: (us: number) => number,
): UsageInterval[] {
  const recorder = workers.find(({ isRecorder }) => isRecorder)?.tid;
  const groupOf = (tid: number): string =>
    tid === process.pid ? 'loop' : tid === recorder ? 'recorder' : pool?.has(tid) ? 'pool' : 'other';
  return samples.slice(1).map(({ at, tells, use }, index) => {
    const groups = grouped(use, ([tid]) => groupOf(tid));
    const blocked = groups.get('pool')?.filter(([, , , state]) => state === 2) ?? [];
    return {
      fromMs: clock(samples[index]?.at ?? at),
      toMs: clock(at),
      eventLoop: usageOf(groups.get('loop')),
      pool: usageOf(groups.get('pool')),
      other: usageOf(groups.get('other')),
      blockedThreads: tells ? blocked.length : null,
    };
  });
}
