import { itemAt } from '../collections/item-at.js';
import { PlimsollError } from '../errors.js';
import { activeIntervals } from '../libuv/blocked-time.js';
import { clampPoolSize } from '../libuv/pool-size.js';
import type { Measures } from '../model/measures.js';
import type { Background, Workload } from '../model/workload.js';
import type { Trace, TracedProcess, UsageInterval } from '../results/trace.js';
import { askedWork } from './asked-work.js';
import { type LoopCosts, loopCosts, wakeUpMs } from './loop-costs.js';
import { computedUntilRelease, timesOfLoops } from './loop-times.js';
import { measuredIn } from './measured.js';
import { type OnThread, splitOnThread } from './on-thread.js';
import { RANK, type Step, stepsOf } from './steps.js';

/** What a trace asks of pools and cores, whatever their size. */
export interface Demand {
  readonly workload: Workload;
  /** The kind of each job; empty for other steps. */
  readonly kinds: readonly string[];
  /** 1 for jobs of which it is known when they ended. */
  readonly known: Uint8Array;
  /** Threads of the recorded pool. */
  readonly size: number;
  /** What the recorded run came to. */
  readonly measured: Measures;
  readonly waits: MeanWaits;
  /** From a signal to a sleeping thread until it runs, in milliseconds. */
  readonly wakeMs: number;
  /** What other threads of the processes used, in cores, while jobs were under way, beside what they did for jobs. */
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

/**
 * Estimate the demand from a trace: the CPU time and the blocked time of each job, what the event loops take for it, what
 * leads to what, who asks for it, and what else uses the cores.
 *
 * @param allWait all requests came from clients who waited for answers: see `askedBy`.
 * @throws {PlimsollError} PLIMSOLL_NO_POOL_JOBS when nothing in it used the pool.
 */
export function estimate(
  { processes, durationMs }: Pick<Trace, 'processes' | 'durationMs'>,
  allWait = false,
): Demand {
  const active = processes.filter(({ jobs }) => jobs.length > 0);
  if (active.length === 0)
    throw new PlimsollError(
      'PLIMSOLL_NO_POOL_JOBS',
      `nothing used the pool in the ${Math.round(durationMs / 100) / 10} s that were recorded: its size cannot matter`,
    );
  const size = recordedSize(active);
  const parts = active.map((process, index) => stepsOf(process, index, allWait));
  const steps = inOrder(parts.flatMap((part) => part.steps));
  const places = new Map(steps.map((step, place) => [step, place]));
  const splits = active.map(splitOnThread);
  const costs = active.map((process, index) => {
    const { steps: own } = itemAt(parts, index);
    return loopCosts(process, sum([...computedUntilRelease(own).values()]), jobCount(own));
  });
  const loops = loopsOf(active, costs);
  const ofJob = (step: Step, values: (split: OnThread) => Float64Array): number =>
    step.job === null ? 0 : itemAt(values(itemAt(splits, step.process)), step.index);
  const workload: Workload = {
    count: steps.length,
    processes: active.length,
    loopProcess: Int32Array.from(loops.list, ({ process }) => process),
    background: loops.list.map(({ background }) => background),
    loop: Int32Array.from(steps, ({ process, loopThread }) => loops.at(process, loopThread)),
    slow: Uint8Array.from(steps, ({ job }) => Number(job?.slowIo ?? false)),
    parent: Int32Array.from(steps, ({ parent }) => (parent === null ? -1 : (places.get(parent) ?? -1))),
    cpuMs: Float64Array.from(steps, (step) => ofJob(step, ({ cpuMs }) => cpuMs)),
    blockedMs: Float64Array.from(steps, (step) => ofJob(step, ({ blockedMs }) => blockedMs)),
    ...timesOfLoops(
      steps,
      places,
      costs,
      active.map(({ requests }) => requests.length > 0),
    ),
    ...askedWork(parts, steps, places),
  };
  const all = active.flatMap(({ jobs }) => jobs);
  return {
    workload,
    kinds: steps.map(({ job }) => job?.kind ?? ''),
    known: Uint8Array.from(steps, ({ job }) => Number(job !== null && !job.inferred)),
    size,
    measured: measuredIn({ processes }, size, allWait),
    waits: meanWaits(workload, steps),
    wakeMs: wakeUpMs(all),
    otherCores: sum(
      active.map((process, index) =>
        usedCores(
          process,
          ({ other }) => other.cpuMs,
          itemAt(splits, index).lentMs * (jobCount(itemAt(parts, index).steps) / process.jobs.length),
        ),
      ),
    ),
    outsideCores: outsideCores(active),
    mostBlocked: mostBlocked(workload, steps),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** All steps in the order of their times; parents come before what follows from them. */
const inOrder = (steps: readonly Step[]): Step[] =>
  steps.toSorted((a, b) => a.timeMs - b.timeMs || RANK[a.what] - RANK[b.what] || a.process - b.process);

const jobCount = (steps: readonly Step[]): number => steps.filter(({ job }) => job !== null).length;

/** The size of the pool of the process with the most jobs: the counted one, else what the variable gives. */
function recordedSize(processes: readonly TracedProcess[]): number {
  const { observedThreads, size } = busiest(processes);
  return clampPoolSize(observedThreads ?? size);
}

const busiest = (processes: readonly TracedProcess[]): TracedProcess =>
  processes.reduce((most, one) => (one.jobs.length > most.jobs.length ? one : most));

function meanWaits({ cpuMs, blockedMs }: Workload, steps: readonly Step[]): MeanWaits {
  let delay = 0;
  let known = 0;
  let waited = 0;
  for (const [place, { job }] of steps.entries()) {
    if (job === null || job.inferred) continue;
    waited += Math.max(0, job.endMs - job.startMs - itemAt(cpuMs, place) - itemAt(blockedMs, place));
    delay += job.callbackMs - job.endMs;
    known++;
  }
  return known === 0
    ? { callbackDelayMs: null, coreWaitMs: null }
    : { callbackDelayMs: delay / known, coreWaitMs: waited / known };
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
  const numbers = processes.map(({ jobs, requests }, process) => {
    const counts = new Map<number, number>();
    for (const { loopThread } of [...jobs, ...requests])
      counts.set(loopThread, (counts.get(loopThread) ?? 0) + 1);
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

/** What a process used of something while its jobs were under way, in cores; `lessMs` of it does not count. */
function usedCores(
  { usage, jobs }: Pick<TracedProcess, 'usage' | 'jobs'>,
  usedMs: (interval: UsageInterval) => number,
  lessMs = 0,
): number {
  const active = activeIntervals(jobs, usage);
  const time = sum(active.map(({ fromMs, toMs }) => toMs - fromMs));
  return time === 0 ? 0 : Math.max(0, sum(active.map(usedMs)) - lessMs) / time;
}

/** What the process with the most jobs saw of the cores' use, without what the processes used themselves. */
function outsideCores(processes: readonly TracedProcess[]): number | null {
  const witness = busiest(processes);
  if (witness.usage.length === 0 || witness.usage.some(({ cores }) => cores == null)) return null;
  const all = usedCores(witness, ({ cores }) => (cores?.busyMs ?? 0) + (cores?.stolenMs ?? 0));
  const own = sum(
    processes.map((process) =>
      usedCores(process, ({ eventLoop, pool, other }) => eventLoop.cpuMs + pool.cpuMs + other.cpuMs),
    ),
  );
  return Math.max(0, all - own);
}

/** Each job's blocked time is taken to be the last part of its time on a thread. */
function mostBlocked({ blockedMs, slow }: Workload, steps: readonly Step[]): Demand['mostBlocked'] {
  const most = (isSlow: number): number => {
    const changes: [number, number][] = [];
    for (const [place, { job, timeMs }] of steps.entries()) {
      const blocked = itemAt(blockedMs, place);
      if (job === null || slow[place] !== isSlow || blocked <= 0) continue;
      const endMs = timeMs + job.endMs - job.submitMs;
      changes.push([endMs - blocked, 1], [endMs, -1]);
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
