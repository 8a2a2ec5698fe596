import { namesPoolThreads } from '../host/pool-threads.js';
import type { UsageInterval } from '../results/trace.js';
import type { ProcessLog } from './process-log.js';

const NAME = 'libuv-worker';
const KERNEL = /^iou-/;

/**
 * The pool's threads of a recorded process, or `null` when they cannot be told.
 *
 * Before libuv 1.50 they have no name of their own. The pool creates all of its threads at once, so there they are what
 * appeared between the same two samples as one that is known from its work, without the app's Workers; threads that an
 * add-on started in those 50 ms are among them.
 */
export function poolThreads(recording: ProcessLog): ReadonlySet<number> | null {
  const { samples, process, events, workers, own } = recording;
  if (samples.length === 0) return null;
  const all = samples.flatMap((sample) => sample.new);
  const named = all.filter(([, name]) => name === NAME).map(([tid]) => tid);
  if (named.length > 0 || namesPoolThreads(process.libuv)) return new Set(named);
  const working = new Set(events.filter(({ ph }) => ph === 'B').map(({ tid }) => tid));
  const bursts = samples
    .slice(1)
    .map((sample) =>
      sample.new
        .filter(([tid, name]) => !workers.has(tid) && tid !== own && !KERNEL.test(name))
        .map(([tid]) => tid),
    )
    .filter((burst) => burst.length > 0);
  const burst = bursts.find((tids) => tids.some((tid) => working.has(tid))) ?? bursts[0] ?? [];
  return events.length === 0 ? new Set() : new Set([...burst, ...working]);
}

const NS_PER_MS = 1e6;

/**
 * What the threads of a process used, sample by sample. The recorder's own thread is left out.
 *
 * @param clock from microseconds of process.hrtime to milliseconds since the recording began.
 */
export function usageIntervals(
  { samples, process, own }: ProcessLog,
  pool: ReadonlySet<number> | null,
  clock: (us: number) => number,
): UsageInterval[] {
  return samples.slice(1).map((sample, index) => {
    const sums = { eventLoop: [0, 0], pool: [0, 0], other: [0, 0] } as Record<
      'eventLoop' | 'pool' | 'other',
      [number, number]
    >;
    let busy = 0;
    let blocked = 0;
    for (const [tid, cpu, waited, state] of sample.use) {
      if (tid === own) continue;
      const isPool = pool?.has(tid) === true;
      const sum = sums[tid === process.pid ? 'eventLoop' : isPool ? 'pool' : 'other'];
      sum[0] += cpu;
      sum[1] += waited;
      if (isPool && (state === 1 || state === 2)) busy++;
      if (isPool && state === 2) blocked++;
    }
    const usage = ([cpu, waited]: [number, number]): { cpuMs: number; coreWaitMs: number } => ({
      cpuMs: cpu / NS_PER_MS,
      coreWaitMs: waited / NS_PER_MS,
    });
    return {
      fromMs: clock(samples[index]?.at ?? sample.at),
      toMs: clock(sample.at),
      eventLoop: usage(sums.eventLoop),
      pool: usage(sums.pool),
      other: usage(sums.other),
      busyThreads: sample.tells ? busy : null,
      blockedThreads: sample.tells ? blocked : null,
      // The kernel's counters of idle machines may step back.
      cores:
        sample.cores == null
          ? null
          : { busyMs: Math.max(0, sample.cores[0]), stolenMs: Math.max(0, sample.cores[1]) },
    };
  });
}
