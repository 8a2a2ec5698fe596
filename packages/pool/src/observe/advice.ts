import type { Advice, Explanation, TaskExplanation } from './types.js';

type Facts = Omit<Explanation, 'advice'>;
type Finding = Omit<Advice, 'task'>;

/** The median of fewer tasks means nothing. */
const FEWEST = 20;
/** A function whose thread is busy for less than this share of its time mostly waits. */
const BUSY = 0.1;

/** Derives advice, the most certain first. Each piece rests on measured figures, and is left out if they do not suffice. */
export function adviceFor(facts: Facts): Advice[] {
  const findings = facts.tasks.flatMap((task) => {
    if (task.count < FEWEST) return [];
    const { filename, name } = task;
    return [sendingCostsMore(task), alreadyAsynchronous(task)].map(
      (advice) => advice && { ...advice, task: { filename, name } },
    );
  });
  return [...findings, moreWorkersThanCores(facts)].filter((advice) => advice !== undefined);
}

/** If most tasks find no worker free, sending costs only what the host does. */
function sendingCostsMore(task: TaskExplanation): Finding | undefined {
  const { count, phases, sending, foundFree } = task;
  const run = phases.run.p50;
  const isAlone = foundFree >= count / 2;
  const cost = isAlone ? sending.p50 : phases.encode.p50 + phases.decode.p50;
  if (!(run < cost)) return undefined;
  return {
    id: 'sending-costs-more',
    message: `'${task.name}' takes ${text(run)} and costs ${text(cost)} to send: give each call more work, or call it without the pool`,
    numbers: { count, foundFree, run, sending: cost },
  };
}

/** Measured by the worker's event loop, not by its CPU: a function that blocks its thread does gain from another thread. */
function alreadyAsynchronous(task: TaskExplanation): Finding | undefined {
  const { count, promises, phases } = task;
  if (promises.count < FEWEST || promises.count < count / 2 || !(promises.busy < BUSY)) return undefined;
  const run = phases.run.mean;
  return {
    id: 'already-asynchronous',
    message: `'${task.name}' keeps its thread busy for ${percent(promises.busy)} of its ${text(run)} and otherwise waits: it is already asynchronous and gains almost nothing from a worker thread`,
    numbers: { count, promises: promises.count, busy: promises.busy, run },
  };
}

/** Only for functions that keep their threads busy; functions that wait share a core well. */
function moreWorkersThanCores({ tasks, workers }: Facts): Advice | undefined {
  const { most, cores, quota, maxThreads } = workers;
  const count = tasks.reduce((sum, task) => sum + task.count, 0);
  if (count < FEWEST || most <= Math.ceil(cores)) return undefined;
  const run = tasks.reduce((sum, task) => sum + task.phases.run.mean * task.count, 0);
  const busy = tasks.reduce((sum, task) => sum + task.phases.run.mean * task.count * busyOf(task), 0) / run;
  if (!(busy > 1 / 2)) return undefined;
  const has = quota === null ? `there are ${cores} cores` : `the quota has ${round(cores)} cores`;
  return {
    id: 'more-workers-than-cores',
    task: undefined,
    message: `${most} workers ran at a time, but ${has}: set maxThreads to ${Math.max(1, Math.ceil(cores))}`,
    numbers: { count, mostWorkers: most, cores, busy, maxThreads },
  };
}

/** The share of run time in which the function kept its thread busy. */
function busyOf({ count, promises }: TaskExplanation): number {
  return promises.count === 0 ? 1 : 1 - (promises.count / count) * (1 - promises.busy);
}

const round = (value: number): string => String(Number(value.toPrecision(2)));
const percent = (part: number): string => `${round(part * 100)} %`;
const text = (milliseconds: number): string =>
  milliseconds < 1 ? `${round(milliseconds * 1000)} µs` : `${round(milliseconds)} ms`;
