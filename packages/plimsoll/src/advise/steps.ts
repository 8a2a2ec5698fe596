import { itemAt } from '../collections/item-at.js';
import type { TracedJob, TracedProcess, TracedRequest } from '../results/trace.js';
import { type Asked, askedBy } from './clients.js';
import { joinsOf } from './joins.js';

/** A job that follows a callback by no more than this was submitted by it, and not by something that it started. */
export const DIRECT_MS = 1;

/** Something that a program did: a job of the pool, the arrival of a request, or its end. Times in milliseconds. */
export interface Step {
  readonly what: 'arrival' | 'job' | 'end';
  readonly process: number;
  /** Its index among the jobs of its process, or that of the job that stands for it; of the others -1. */
  readonly index: number;
  readonly job: TracedJob | null;
  readonly loopThread: number;
  /** When it was submitted, came, or was over. */
  readonly timeMs: number;
  /** When what follows from it could begin. */
  readonly doneMs: number;
  readonly parent: Step | null;
  /** It was released within the callback of its parent. */
  readonly direct: boolean;
  /** What it waits for besides its parent. */
  readonly joins: readonly Step[];
  /** A number of its operation that no other one has in its process; `null` for none. */
  readonly operation: number | null;
}

/** A request, its steps among those of all. */
export interface AskedStep {
  readonly request: TracedRequest;
  readonly process: number;
  readonly asked: Asked;
  readonly arrival: Step;
  readonly end: Step;
}

/** An operation: what it was called, and what it took beside its jobs. */
export interface CalledStep {
  readonly name: string;
  readonly extraMs: number;
}

export interface Steps {
  readonly steps: readonly Step[];
  readonly requests: readonly AskedStep[];
  /** By number, of this process. */
  readonly operations: readonly CalledStep[];
}

/** What users felt: answered, with whatever. */
export const isAnswered = ({ end, endMs }: TracedRequest): boolean =>
  endMs !== null && (end === 'answered' || end === 'failed');

/** A request's end may be noted before the callback of its last job has returned. */
const CLOCK_MS = 0.05;

/** The steps of a process, and which of them are those of requests. For `allWait` see `askedBy`. */
export function stepsOf(traced: TracedProcess, process: number, allWait = false): Steps {
  const { jobs, operations, requests } = traced;
  const requestOf = jobs.map(({ operation }) =>
    operation === null ? null : (operations[operation]?.request ?? null),
  );
  const own = requests.map((): number[] => []);
  for (const [index, request] of requestOf.entries()) if (request !== null) own[request]?.push(index);
  const asked = askedBy(requests, allWait);
  const arrivals = requests.map((request) => arrivalOf(request, process));
  const joins = joinsOf(jobs, operations, requests, own);
  const placed: Step[] = [];
  const jobStep = (job: TracedJob, index: number): Step => {
    const request = requestOf[index] ?? null;
    const before = job.parent === null ? undefined : placed[job.parent];
    const isOwn = before !== undefined && (requestOf[job.parent as number] ?? null) === request;
    const parent = isOwn ? before : request === null ? (before ?? null) : itemAt(arrivals, request);
    return {
      what: 'job',
      process,
      index,
      job,
      loopThread: job.loopThread,
      timeMs: job.submitMs,
      doneMs: job.callbackMs,
      parent,
      direct: parent !== null && isDirect(job, parent),
      joins: (joins.get(index) ?? [])
        .map((other) => itemAt(placed, other))
        .filter((other) => other !== parent),
      operation: job.operation,
    };
  };
  for (const [index, job] of jobs.entries()) placed.push(jobStep(job, index));
  const called = operations.map(({ name }): CalledStep => ({ name, extraMs: 0 }));
  setExtras(called, traced);
  const whole = requests.map((request, index): AskedStep => {
    const steps = itemAt(own, index).map((job) => itemAt(placed, job));
    const arrival = itemAt(arrivals, index);
    return { request, process, asked: itemAt(asked, index), arrival, end: endOf(request, arrival, steps) };
  });
  const isPart = requests.some(({ sampled }) => !sampled);
  // Jobs of no request are left out, too: they may be of one that had begun before jobs were recorded.
  const steps = isPart
    ? placed.filter((_, index) => requests[requestOf[index] ?? -1]?.sampled === true)
    : [...placed];
  const models = modelsOf(whole);
  const all = whole.map((one, index): AskedStep => {
    const model = one.request.sampled ? null : modelOf(one.request, index, models);
    const copy =
      model === null ? null : copied(itemAt(whole, model), one, itemAt(own, model), placed, called);
    const kept = copy?.asked ?? one;
    steps.push(kept.arrival, kept.end, ...(copy?.jobs ?? []));
    return kept;
  });
  return {
    steps: steps.sort((a, b) => a.timeMs - b.timeMs || RANK[a.what] - RANK[b.what]),
    requests: all,
    operations: called,
  };
}

/** Of steps at one moment the first goes first. */
export const RANK: Record<Step['what'], number> = { arrival: 0, job: 1, end: 2 };

const arrivalOf = ({ startMs, loopThread }: TracedRequest, process: number): Step => ({
  what: 'arrival',
  process,
  index: -1,
  job: null,
  loopThread,
  timeMs: startMs,
  doneMs: startMs,
  parent: null,
  direct: false,
  joins: [],
  operation: null,
});

function isDirect({ cause, submitMs }: TracedJob, { what, doneMs }: Step): boolean {
  if (cause === null) return submitMs - doneMs <= DIRECT_MS;
  // What a request releases late may have waited for its body.
  return what === 'arrival' ? cause === 'request' && submitMs - doneMs <= DIRECT_MS : cause === 'callback';
}

/** It follows what is complete before it and leads to nothing else. */
function endOf({ startMs, endMs, loopThread }: TracedRequest, arrival: Step, jobs: readonly Step[]): Step {
  const timeMs = endMs ?? Math.max(startMs, ...jobs.map(({ doneMs }) => doneMs));
  const followed = new Set(jobs.flatMap(({ parent, joins }) => [parent, ...joins]));
  const leaves = jobs
    .filter((step) => !followed.has(step) && step.doneMs <= timeMs + CLOCK_MS)
    .sort((a, b) => a.doneMs - b.doneMs);
  const parent = leaves.pop() ?? arrival;
  return {
    ...arrival,
    what: 'end',
    loopThread,
    timeMs,
    doneMs: timeMs,
    parent,
    direct: parent !== arrival && timeMs - parent.doneMs <= DIRECT_MS,
    joins: leaves,
  };
}

/** Which request stands for one that was not followed: one of its route, in turn; `null` where there is none. */
function modelOf({ route, loopThread }: TracedRequest, index: number, models: Models): number | null {
  const same = models.get(`${loopThread} ${route}`) ?? models.get(`* ${route}`) ?? models.get('*') ?? [];
  return same.length === 0 ? null : itemAt(same, index % same.length);
}

/** Requests that were followed: by event loop and route, by route, and all of them. */
type Models = ReadonlyMap<string, readonly number[]>;

function modelsOf(all: readonly AskedStep[]): Models {
  const models = new Map<string, number[]>();
  for (const [index, { request }] of all.entries()) {
    if (!request.sampled) continue;
    for (const key of [`${request.loopThread} ${request.route}`, `* ${request.route}`, '*']) {
      const same = models.get(key);
      if (same === undefined) models.set(key, [index]);
      else same.push(index);
    }
  }
  return models;
}

/** What a request did that stands for another one, at the time of that one. */
function copied(
  model: AskedStep,
  { request, process, asked, arrival }: AskedStep,
  own: readonly number[],
  placed: readonly Step[],
  called: CalledStep[],
): { asked: AskedStep; jobs: Step[] } {
  const laterMs = request.startMs - model.request.startMs;
  const copies = new Map<Step, Step>([[model.arrival, arrival]]);
  const numbers = new Map<number, number>();
  const numberOf = (operation: number | null): number | null => {
    if (operation === null) return null;
    const known = numbers.get(operation);
    if (known !== undefined) return known;
    const number = called.push(itemAt(called, operation)) - 1;
    numbers.set(operation, number);
    return number;
  };
  const copy = (step: Step): Step => {
    const made: Step = {
      ...step,
      process,
      loopThread: request.loopThread,
      timeMs: step.timeMs + laterMs,
      doneMs: step.doneMs + laterMs,
      parent: step.parent === null ? null : (copies.get(step.parent) ?? null),
      joins: step.joins.flatMap((other) => copies.get(other) ?? []),
      operation: numberOf(step.operation),
    };
    copies.set(step, made);
    return made;
  };
  const jobs = own.map((job) => copy(itemAt(placed, job)));
  return { asked: { request, process, asked, arrival, end: copy(model.end) }, jobs };
}

/** From the call to the first submission, and from the last callback to the result. */
function setExtras(called: CalledStep[], { jobs, operations }: TracedProcess): void {
  const spans = operations.map(() => ({ fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY }));
  for (const { operation, submitMs, callbackMs } of jobs) {
    const span = operation === null ? undefined : spans[operation];
    if (span === undefined) continue;
    span.fromMs = Math.min(span.fromMs, submitMs);
    span.toMs = Math.max(span.toMs, callbackMs);
  }
  for (const [index, { startMs, endMs, name }] of operations.entries()) {
    const { fromMs, toMs } = itemAt(spans, index);
    if (toMs < fromMs) continue;
    const extraMs = Math.max(0, fromMs - startMs) + (endMs === null ? 0 : Math.max(0, endMs - toMs));
    called[index] = { name, extraMs };
  }
}
