import type { Breakdown } from './breakdown.js';
import type { Advice, Explanation, TaskExplanation } from './types.js';

type Facts = Omit<Explanation, 'advice'>;
type Found = Omit<Advice, 'task'> | undefined;

/** Fewer tasks say nothing of a median. */
const FEWEST = 20;
/** Fewer tasks say nothing of a p99. */
const FEWEST_FOR_TAIL = 100;
/** A function that keeps its thread busy for a smaller part of its time waits for others. */
const BUSY = 0.1;
/** An event loop that is busy for a larger part of the time keeps results waiting. */
const FULL = 0.9;

/** What the facts say, the most certain first. Each looks at measured figures alone, and none is given when they do not carry it. */
export function adviceFor(facts: Facts, breakdowns: readonly Breakdown[]): Advice[] {
  const of = (task: Advice['task'], ...found: Found[]): Advice[] =>
    found.flatMap((advice) => (advice === undefined ? [] : [{ ...advice, task }]));
  const ofTasks = facts.tasks.flatMap((task, place) => {
    const { filename, name, count } = task;
    if (count < FEWEST) return [];
    return of(
      { filename, name },
      sendingCostsMore(task),
      alreadyAsynchronous(task),
      startUpIsTheTail(facts, task, breakdowns[place] as Breakdown),
      hostLoopIsBusy(facts, task),
    );
  });
  return [...ofTasks, ...of(undefined, moreWorkersThanCores(facts))];
}

/** Of tasks that come so fast that most find no worker free, sending costs only what the host does for them. */
function sendingCostsMore(task: TaskExplanation): Found {
  const { count, phases, sending, foundFree } = task;
  const run = phases.run.p50;
  const isAlone = foundFree >= count / 2;
  const cost = isAlone ? sending.p50 : phases.encode.p50 + phases.decode.p50;
  if (!(run < cost)) return undefined;
  return {
    id: 'sending-costs-more',
    message: `'${task.name}' takes ${shown(run)} and costs ${shown(cost)} to send: give each call more work, or call it without the pool`,
    numbers: { count, foundFree, run, sending: cost },
  };
}

/** Measured by the worker's event loop, not by the CPU: a function that blocks its thread does gain from being in another one. */
function alreadyAsynchronous(task: TaskExplanation): Found {
  const { count, promises, phases } = task;
  if (promises.count < FEWEST || promises.count < count / 2 || !(promises.busy < BUSY)) return undefined;
  const run = phases.run.mean;
  return {
    id: 'already-asynchronous',
    message: `'${task.name}' keeps its thread busy for ${percent(promises.busy)} of its ${shown(run)} and otherwise waits: it is already asynchronous and gains almost nothing from a worker thread`,
    numbers: { count, promises: promises.count, busy: promises.busy, run },
  };
}

/** Of the slowest hundredth of tasks most have waited for a worker's start most of their time. */
function startUpIsTheTail(facts: Facts, task: TaskExplanation, { total, started }: Breakdown): Found {
  const { count } = task;
  const { p99 } = task.total;
  if (count < FEWEST_FOR_TAIL) return undefined;
  // Below the bucket that p99 is the middle of.
  const below = p99 * (1 - 1 / 64);
  const slowest = total.count - total.countUpTo(below);
  const startedLate = started.count - started.countUpTo(below);
  if (slowest === 0 || startedLate <= slowest / 2) return undefined;
  const { minThreads, most } = facts.workers;
  const remedy =
    minThreads < most ? `raise minThreads from ${minThreads} to ${most}` : 'await pool.ready() first';
  return {
    id: 'start-up-is-the-tail',
    message: `the slowest 1 % of '${task.name}' tasks, from ${shown(p99)} up, wait for workers to start: ${remedy}`,
    numbers: { count, p99, slowest, startedLate, minThreads, mostWorkers: most },
  };
}

/** Results are there, and the host does not come to read them. */
function hostLoopIsBusy(facts: Facts, task: TaskExplanation): Found {
  const { count, phases } = task;
  const { utilization } = facts.host;
  if (utilization < FULL || !(phases.return.p50 > phases.run.p50)) return undefined;
  return {
    id: 'host-loop-is-busy',
    message: `results of '${task.name}' wait ${shown(phases.return.p50)} for the host's event loop, which is busy ${percent(utilization)} of the time: move more of its work into tasks`,
    numbers: { count, return: phases.return.p50, run: phases.run.p50, hostUtilization: utilization },
  };
}

/** Only of functions that keep their threads busy: those that wait for others share a core well. */
function moreWorkersThanCores({ tasks, workers }: Facts): Found {
  const { most, cores, quota, maxThreads } = workers;
  const count = tasks.reduce((sum, task) => sum + task.count, 0);
  if (count < FEWEST || most <= Math.ceil(cores)) return undefined;
  const run = tasks.reduce((sum, task) => sum + task.phases.run.mean * task.count, 0);
  const busy = tasks.reduce((sum, task) => sum + task.phases.run.mean * task.count * busyOf(task), 0) / run;
  if (!(busy > 1 / 2)) return undefined;
  const has = quota === null ? `there are ${cores} cores` : `the quota has ${round(cores)} cores`;
  return {
    id: 'more-workers-than-cores',
    message: `${most} workers ran at a time, but ${has}: set maxThreads to ${Math.max(1, Math.ceil(cores))}`,
    numbers: { count, mostWorkers: most, cores, busy, maxThreads },
  };
}

/** The part of its run time for which its functions kept their threads busy. */
function busyOf({ count, promises }: TaskExplanation): number {
  return promises.count === 0 ? 1 : 1 - (promises.count / count) * (1 - promises.busy);
}

const round = (value: number): string => String(Number(value.toPrecision(2)));
const percent = (part: number): string => `${round(part * 100)} %`;
const shown = (milliseconds: number): string =>
  milliseconds < 1 ? `${round(milliseconds * 1000)} µs` : `${round(milliseconds)} ms`;
