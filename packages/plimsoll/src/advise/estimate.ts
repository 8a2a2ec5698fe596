import { itemAt } from '../collections/item-at.js';
import { PlimsollError } from '../errors.js';
import { activeIntervals } from '../libuv/blocked-time.js';
import { clampPoolSize } from '../libuv/pool-size.js';
import { type Measures, measure } from '../model/measures.js';
import type { Background, Workload } from '../model/workload.js';
import type { Trace, TracedJob, TracedProcess, UsageInterval } from '../results/trace.js';
import { type LoopCosts, loopCosts, wakeUpMs } from './loop-costs.js';
import { splitOnThread } from './on-thread.js';

/** What a trace asks of pools and cores, whatever their size. */
export interface Demand {
  readonly workload: Workload;
  /** The kind of each job. */
  readonly kinds: readonly string[];
  /** 1 for jobs of which it is known when they ended; of the others it was inferred. */
  readonly known: Uint8Array;
  /** Threads of the recorded pool. */
  readonly size: number;
  /** What the recorded run came to. */
  readonly measured: Measures;
  readonly waits: MeanWaits;
  /** From a signal to a sleeping thread until it runs, in milliseconds. */
  readonly wakeMs: number;
  /** What other threads of the processes used, in cores, while jobs were under way. */
  readonly otherCores: number;
  /** What others had of the cores meanwhile, this machine's or another one's; `null` where the kernel does not tell. */
  readonly outsideCores: number | null;
  /** Most jobs that were blocked at the same time: what the devices behind them have been seen to serve. */
  readonly mostBlocked: { readonly fast: number; readonly slow: number };
}

/** Mean waits of a job that no event explains: a simulation of the recorded run has to come to the same. Milliseconds. */
export interface MeanWaits {
  /** From the end of a job until the event loop took its result; `null` when all ends are inferred. */
  readonly callbackDelayMs: number | null;
  /** On a pool thread, neither computing nor blocked: waiting for a core; `null` when all ends are inferred. */
  readonly coreWaitMs: number | null;
}

/** A job that follows a callback by no more than this was submitted by it, and not by something that it started. */
const DIRECT_MS = 1;
/** Submissions that follow one another this closely come from one turn of the event loop. */
const SAME_TURN_MS = 0.3;

interface Source {
  readonly job: TracedJob;
  readonly process: number;
  /** Its index among the jobs of its process. */
  readonly index: number;
}

/**
 * Estimate the demand from a trace: the CPU time and the blocked time of each job, what the event loops take for it, what
 * leads to what, and what else uses the cores.
 *
 * @throws {PlimsollError} PLIMSOLL_NO_POOL_JOBS when nothing in it used the pool.
 */
export function estimate({ processes, durationMs }: Pick<Trace, 'processes' | 'durationMs'>): Demand {
  const active = processes.filter(({ jobs }) => jobs.length > 0);
  if (active.length === 0)
    throw new PlimsollError(
      'PLIMSOLL_NO_POOL_JOBS',
      `nothing used the pool in the ${Math.round(durationMs / 100) / 10} s that were recorded: its size cannot matter`,
    );
  const size = recordedSize(active);
  const all = active.flatMap(({ jobs }) => jobs);
  const wakeMs = wakeUpMs(all);
  const sources = inOrder(active);
  const places = placesOf(sources, active);
  const splits = active.map(splitOnThread);
  const costs = active.map(loopCosts);
  const loops = loopsOf(active, costs);
  const count = sources.length;
  const workload: Workload = {
    count,
    processes: active.length,
    loopProcess: Int32Array.from(loops.list, ({ process }) => process),
    background: loops.list.map(({ background }) => background),
    loop: Int32Array.from(sources, ({ job, process }) => loops.at(process, job.loopThread)),
    slow: Uint8Array.from(sources, ({ job }) => Number(job.slowIo)),
    parent: Int32Array.from(sources, ({ job, process }) =>
      job.parent === null ? -1 : (itemAt(places, process)[job.parent] ?? -1),
    ),
    atMs: new Float64Array(count),
    direct: new Uint8Array(count),
    cpuMs: Float64Array.from(sources, ({ process, index }) => splits[process]?.cpuMs[index] ?? 0),
    blockedMs: Float64Array.from(sources, ({ process, index }) => splits[process]?.blockedMs[index] ?? 0),
    beforeMs: Float64Array.from(sources, ({ process }) => (costs[process]?.perJobMs ?? 0) / 2),
    afterMs: Float64Array.from(sources, ({ process }) => (costs[process]?.perJobMs ?? 0) / 2),
  };
  setArrivals(workload, sources);
  return {
    workload,
    kinds: sources.map(({ job }) => job.kind),
    known: Uint8Array.from(sources, ({ job }) => Number(!job.inferred)),
    size,
    measured: measuredIn({ processes }, size),
    waits: meanWaits(workload, sources),
    wakeMs,
    otherCores: usedCores(active, ({ other }) => other.cpuMs),
    outsideCores: outsideCores(active),
    mostBlocked: mostBlocked(workload, sources),
  };
}

/** The size of the pool of the process with the most jobs: the counted one, else what the variable gives. */
function recordedSize(processes: readonly TracedProcess[]): number {
  const { observedThreads, size } = busiest(processes);
  return clampPoolSize(observedThreads ?? size);
}

const busiest = (processes: readonly TracedProcess[]): TracedProcess =>
  processes.reduce((most, one) => (one.jobs.length > most.jobs.length ? one : most));

/** What a recorded run itself came to, in the terms of a prediction; jobs do not tell the delay of its event loops. */
export function measuredIn({ processes }: Pick<Trace, 'processes'>, size: number): Measures {
  const jobs = processes.flatMap((process) => process.jobs);
  const active = processes.filter((process) => process.jobs.length > 0).length;
  const passage = {
    submitMs: Float64Array.from(jobs, ({ submitMs }) => submitMs),
    startMs: Float64Array.from(jobs, ({ startMs }) => startMs),
    endMs: Float64Array.from(jobs, ({ endMs }) => endMs),
    callbackMs: Float64Array.from(jobs, ({ callbackMs }) => callbackMs),
    loopDelaysMs: [],
    cpuMs: 0,
  };
  return measure(passage, size * Math.max(1, active));
}

function meanWaits({ cpuMs, blockedMs }: Workload, sources: readonly Source[]): MeanWaits {
  let delay = 0;
  let known = 0;
  let waited = 0;
  for (const [place, { job }] of sources.entries()) {
    if (job.inferred) continue;
    waited += Math.max(0, job.endMs - job.startMs - itemAt(cpuMs, place) - itemAt(blockedMs, place));
    delay += job.callbackMs - job.endMs;
    known++;
  }
  return known === 0
    ? { callbackDelayMs: null, coreWaitMs: null }
    : { callbackDelayMs: delay / known, coreWaitMs: waited / known };
}

/** All jobs in the order of their submission; parents come before what follows from them. */
function inOrder(processes: readonly TracedProcess[]): Source[] {
  return processes
    .flatMap(({ jobs }, process) => jobs.map((job, index) => ({ job, process, index })))
    .sort((a, b) => a.job.submitMs - b.job.submitMs || a.process - b.process || a.index - b.index);
}

/** Where each job of each process is in that order. */
function placesOf(sources: readonly Source[], processes: readonly TracedProcess[]): Int32Array[] {
  const places = processes.map(({ jobs }) => new Int32Array(jobs.length));
  for (const [place, { process, index }] of sources.entries()) itemAt(places, process)[index] = place;
  return places;
}

interface Loop {
  readonly process: number;
  readonly background: Background;
}

/** Every event loop; only the one with the most jobs of a process has its background work, which is known as a sum. */
function loopsOf(
  processes: readonly TracedProcess[],
  costs: readonly LoopCosts[],
): { list: Loop[]; at: (process: number, loop: number) => number } {
  const list: Loop[] = [];
  const numbers = processes.map(({ jobs }, process) => {
    const counts = new Map<number, number>();
    for (const { loopThread } of jobs) counts.set(loopThread, (counts.get(loopThread) ?? 0) + 1);
    const byCount = [...counts].sort(([, a], [, b]) => b - a);
    return new Map(
      byCount.map(([loop], rank) => {
        const background = rank === 0 ? itemAt(costs, process).background : { share: 0, burstMs: 0 };
        return [loop, list.push({ process, background }) - 1];
      }),
    );
  });
  return { list, at: (process, loop) => (numbers[process] as Map<number, number>).get(loop) as number };
}

function setArrivals(workload: Workload, sources: readonly Source[]): void {
  const { parent, atMs, direct, beforeMs, afterMs, loop } = workload;
  const longest = new Float64Array(workload.count);
  const turns = new Map<number, { lastMs: number; arrivedMs: number }>();
  for (const [place, { job }] of sources.entries()) {
    const of = itemAt(parent, place);
    if (of !== -1) {
      const delay = Math.max(0, job.submitMs - itemAt(sources, of).job.callbackMs);
      atMs[place] = delay;
      if (delay > DIRECT_MS) continue;
      direct[place] = 1;
      // What its submission takes is part of that callback.
      afterMs[of] = itemAt(afterMs, of) + itemAt(beforeMs, place);
      longest[of] = Math.max(itemAt(longest, of), delay);
      continue;
    }
    const turn = turns.get(itemAt(loop, place));
    const gap = turn === undefined ? Number.POSITIVE_INFINITY : job.submitMs - turn.lastMs;
    if (gap <= SAME_TURN_MS) beforeMs[place] = gap;
    const arrivedMs =
      gap <= SAME_TURN_MS
        ? (turn as { arrivedMs: number }).arrivedMs
        : Math.max(0, job.submitMs - itemAt(beforeMs, place));
    atMs[place] = arrivedMs;
    turns.set(itemAt(loop, place), { lastMs: job.submitMs, arrivedMs });
  }
  for (const [job, delay] of longest.entries()) afterMs[job] = Math.max(itemAt(afterMs, job), delay);
}

/** What the processes used of something while their jobs were under way, in cores. */
function usedCores(processes: readonly TracedProcess[], usedMs: (interval: UsageInterval) => number): number {
  let cores = 0;
  for (const { usage, jobs } of processes) {
    const active = activeIntervals(jobs, usage);
    const time = active.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    if (time > 0) cores += active.reduce((sum, interval) => sum + usedMs(interval), 0) / time;
  }
  return cores;
}

/** What the process with the most jobs saw of the cores' use, without what the processes used themselves. */
function outsideCores(processes: readonly TracedProcess[]): number | null {
  const witness = busiest(processes);
  if (witness.usage.length === 0 || witness.usage.some(({ cores }) => cores == null)) return null;
  const all = usedCores([witness], ({ cores }) => (cores?.busyMs ?? 0) + (cores?.stolenMs ?? 0));
  const own = usedCores(
    processes,
    ({ eventLoop, pool, other }) => eventLoop.cpuMs + pool.cpuMs + other.cpuMs,
  );
  return Math.max(0, all - own);
}

/** Each job's blocked time is taken to be the last part of its time on a thread. */
function mostBlocked({ blockedMs, slow }: Workload, sources: readonly Source[]): Demand['mostBlocked'] {
  const most = (isSlow: number): number => {
    const changes: [number, number][] = [];
    for (const [place, { job }] of sources.entries()) {
      const blocked = itemAt(blockedMs, place);
      if (slow[place] !== isSlow || blocked <= 0) continue;
      changes.push([job.endMs - blocked, 1], [job.endMs, -1]);
    }
    changes.sort(([a, up], [b, other]) => a - b || up - other);
    let now = 0;
    let highest = 0;
    for (const [, change] of changes) {
      now += change;
      highest = Math.max(highest, now);
    }
    return Math.max(1, highest);
  };
  return { fast: most(0), slow: most(1) };
}
