import { lowerBound } from '../collections/lower-bound.js';
import { namesPoolThreads } from '../host/pool-threads.js';
import type { PoolEvent } from '../libuv/job.js';
import type { UsageInterval } from '../results/trace.js';
import type { ProcessLog } from './process-log.js';
import type { RecordedTimes } from './recorded-times.js';

const NAME = 'libuv-worker';
const KERNEL = /^iou-/;

/**
 * The pool's threads of a recorded process, or `null` when they cannot be told.
 *
 * Before libuv 1.50 they have no name of their own. The pool creates all of its threads at once, so there they are what
 * appeared between the same two samples as one that is known from its work, without the app's Workers; threads that an
 * add-on started in those 50 ms are among them.
 *
 * @param isUsed whether anything used the pool; else it has no threads.
 */
export function poolThreads(recording: ProcessLog, isUsed: boolean): ReadonlySet<number> | null {
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
  return isUsed ? new Set([...burst, ...working]) : new Set();
}

/** A sample of all threads takes no longer than this; what began and ended meanwhile cannot be told. Microseconds. */
const SAMPLE_US = 2000;

/** Whether a thread was in a job at the time of a sample, as far as events tell. */
function jobsOnThreads(events: readonly PoolEvent[]): (tid: number, at: number) => boolean {
  const byThread = new Map<number, PoolEvent[]>();
  for (const event of events) {
    if (event.ph !== 'B' && event.ph !== 'E') continue;
    const own = byThread.get(event.tid);
    if (own === undefined) byThread.set(event.tid, [event]);
    else own.push(event);
  }
  return (tid, at) => {
    const own = byThread.get(tid) ?? [];
    const next = lowerBound(own, ({ ts }) => ts <= at);
    const end = own[next];
    return own[next - 1]?.ph === 'B' && end?.ph === 'E' && end.ts > at + SAMPLE_US;
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
  { samples, process, own, events }: ProcessLog,
  pool: ReadonlySet<number> | null,
  clock: (us: number) => number,
  times: RecordedTimes,
): UsageInterval[] {
  const isInJob = jobsOnThreads(events);
  return samples.slice(1).map((sample, index) => {
    const sums = { eventLoop: [0, 0], pool: [0, 0], other: [0, 0] } as Record<
      'eventLoop' | 'pool' | 'other',
      [number, number]
    >;
    let busy = 0;
    let blocked = 0;
    const states = new Map(sample.use.map(([tid, , , state]) => [tid, state]));
    for (const [tid, cpu, waited] of sample.use) {
      if (tid === own) continue;
      const sum = sums[tid === process.pid ? 'eventLoop' : pool?.has(tid) ? 'pool' : 'other'];
      sum[0] += cpu;
      sum[1] += waited;
    }
    for (const tid of pool ?? []) {
      const state = states.get(tid) ?? 0;
      const isBlocked = state === 2 || (state === 0 && isInJob(tid, sample.at));
      if (isBlocked) blocked++;
      if (isBlocked || state === 1) busy++;
    }
    const usage = ([cpu, waited]: [number, number]): { cpuMs: number; coreWaitMs: number } => ({
      cpuMs: cpu / NS_PER_MS,
      coreWaitMs: waited / NS_PER_MS,
    });
    return {
      ...(times.isPart ? { recorded: times.covers(samples[index]?.at ?? sample.at, sample.at) } : {}),
      fromMs: clock(samples[index]?.at ?? sample.at),
      toMs: clock(sample.at),
      eventLoop: usage(sums.eventLoop),
      pool: usage(sums.pool),
      other: usage(sums.other),
      busyThreads: sample.tells ? busy : null,
      blockedThreads: sample.tells ? blocked : null,
    };
  });
}
