import type { ResourceLimits } from 'node:worker_threads';
import type { WorkerError } from '../errors.js';
import { now, source } from '../shared/clock.js';
import { IN_DENO } from '../shared/deno.js';
import { Times } from '../shared/histogram.js';
import type * as message from '../shared/messages.js';
import { addresseeOf, anythingQueued, resetBlock } from '../shared/table.js';
import { isInTime, LONGEST_TIMER, timers } from '../shared/timers.js';
import { drain, putIntoLane, rejectWaiting, takeBackAll, takeOut } from './dispatch.js';
import { startFailure, workerFailure } from './faults.js';
import { askBack } from './returns.js';
import type { State } from './state.js';
import { placeOf, type Task } from './task.js';
import {
  EXITED,
  isRunning,
  READY,
  RETIRING,
  STARTING,
  STOPPING,
  takesTasks,
  WorkerHandle,
} from './worker-handle.js';

/** `idleTimeout` counts as at least this many milliseconds: an idle worker costs no CPU, but another start does. */
const LEAST_IDLE = 50;
/** Milliseconds that an ending pool waits for threads in Deno, which cannot stop a busy thread. */
const DENO_PATIENCE = 1000;
const LIFECYCLE: message.LifecycleHooks = { setup: 'setup', dispose: 'dispose' };

/** Node stops a thread only when its native code returns to JavaScript. */
export const stuck = (threads: number): string =>
  `${threads} stopped worker${threads === 1 ? '' : 's'} cannot end, probably inside a native call that does not return`;

/**
 * Decides after every event how many workers to start, and which to retire.
 * @param isShort Start workers up to `minThreads`. Otherwise only tasks start workers: if a worker that died before it
 * had done anything were replaced for its own sake, deaths would go on for ever.
 */
export function plan(state: State, isShort = false): void {
  const replaced = state.workers.find(isReplaced);
  if (replaced !== undefined) replace(state, replaced);
  shrink(state);
  for (const worker of state.workers) if (worker.state === RETIRING) tellToRetire(state, worker);
  hire(state, isShort);
  if (state.homeless.size > 0 && state.workers.some(takesTasks)) findHomes(state, state.homeless.takeAll());
  if (state.startError !== undefined && state.workers.length === 0) {
    const { error } = state.startError;
    state.startError = undefined;
    rejectWaiting(state, () => startFailure(error));
  }
  watchIdle(state);
}

export function hire(state: State, isShort = false): void {
  if (state.ended || (state.closing && state.outstanding === 0)) return;
  while (needsMore(state, isShort)) {
    const { pause } = state.breaker;
    if (pause > 0) {
      state.pauseTimer ??= later(pause, () => {
        state.pauseTimer = undefined;
        state.changed(state.workers.length > 0 || state.allReady.isAwaited);
      });
      return;
    }
    if (!spawn(state)) return;
  }
}

function needsMore(state: State, isShort: boolean): boolean {
  const { count } = state;
  const { minThreads, maxThreads } = state.options;
  if (count >= maxThreads) return false;
  // Up to `minThreads`, a task gets a new worker rather than second place at a starting worker: it begins sooner.
  if (count < minThreads && (isShort || (!state.isPaused && state.outstanding > count))) return true;
  return !state.isPaused && state.shortage(count) > 0;
}

const later = (milliseconds: number, callback: () => void): NodeJS.Timeout =>
  timers.setTimeout(callback, Math.min(milliseconds, LONGEST_TIMER)).unref();

/** Starts a worker, up to `beyond` more than `maxThreads`. Keeps an error of Node for the tasks that wait. */
export function spawn(state: State, beyond = 0): WorkerHandle | undefined {
  const { maxThreads } = state.options;
  const number = state.policy?.hasNumbers ? freeNumber(state) : 0;
  if (state.count >= maxThreads + beyond || number > maxThreads || state.breaker.pause > 0) return undefined;
  // After a failed start, workers are started one at a time.
  if (state.breaker.failures > 0 && state.workers.some((worker) => worker.state === STARTING))
    return undefined;
  const index = state.freeIndexes.at(-1);
  try {
    if (index === undefined)
      throw new Error(`${stuck(state.exiting.size)}, so there is no room for new workers`);
    resetBlock(state.table, index);
    const worker = new WorkerHandle(
      startupOf(state, index, number),
      state.table,
      threadOptions(state),
      state,
    );
    state.freeIndexes.pop();
    state.workers.push(worker);
    state.started++;
    return worker;
  } catch (error) {
    if (beyond === 0) state.startError = { error };
    return undefined;
  }
}

function startupOf(
  state: State,
  index: number,
  number: number,
): Omit<message.Startup, keyof message.PostPorts> {
  const { options, table, handlers, slots } = state;
  return {
    layout: table.layout,
    table: table.buffer,
    index,
    concurrency: options.concurrentTasksPerWorker,
    times: options.recordTiming ? new Times().buffer : undefined,
    marks: state.marks,
    lifecycle: state.policy?.hooks ?? LIFECYCLE,
    patience: options.closeTimeout,
    number: number || undefined,
    maxHeapMb: options.maxHeapMb,
    maxValueBytes: options.maxValueBytes,
    clock: source,
    nice: options.niceIncrement !== 0,
    hostTimeout: options.hostTimeout,
    arenas: slots.arena.buffers,
    shapes: slots.shapes,
    handlers: handlers.byId,
    preload: state.defaultHandler,
  };
}

/** The least free number. Without a load balancer, a retiring worker may claim tasks, so it keeps its number. */
function freeNumber({ workers, choose }: State): number {
  const runs = (worker: WorkerHandle): boolean =>
    takesTasks(worker) || choose === undefined || !worker.hasNothing;
  const numbers = new Set(workers.filter(runs).map((worker) => worker.number));
  let number = 1;
  while (numbers.has(number)) number++;
  return number;
}

function threadOptions({ options }: State): object {
  const { argv, execArgv, env, workerData, trackUnmanagedFds } = options;
  const resourceLimits = withYoungLimit(options.resourceLimits);
  const values = {
    name: 'plimsoll-pool',
    resourceLimits,
    argv,
    execArgv,
    env,
    workerData,
    trackUnmanagedFds,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * To end a worker at its heap limit, Node grants V8 16 MB more (NearHeapLimit in src/node_worker.cc). On Node 24 a full
 * young generation, of up to 192 MB, overruns this allowance when it moves to the old generation, and V8 ends the
 * process. 48 MB are the default of Node 20 and 22, where this was not seen.
 */
function withYoungLimit(limits: ResourceLimits | undefined): ResourceLimits | undefined {
  if (limits?.maxOldGenerationSizeMb === undefined) return limits;
  return { ...limits, maxYoungGenerationSizeMb: limits.maxYoungGenerationSizeMb ?? 48 };
}

/** Gives a task with a key its worker: the worker of earlier tasks with that key, or the worker with the least to do. */
export function findHome(state: State, task: Task): void {
  const key = task.extras?.key;
  if (key === undefined) return;
  let worker = state.homeOf(key);
  if (worker === undefined) {
    worker = leastOf(state);
    const isFree = worker !== undefined && loadOf(state, worker) < state.options.concurrentTasksPerWorker;
    if (!isFree || isBlocked(state, worker as WorkerHandle))
      worker = (state.ended ? undefined : spawn(state)) ?? worker;
    if (worker !== undefined) {
      state.homes.set(placeOf(key), worker);
      worker.keys++;
    }
  }
  state.setHome(task, worker);
}

function findHomes(state: State, tasks: readonly Task[]): void {
  for (const task of tasks) {
    findHome(state, task);
    putIntoLane(state, task);
  }
}

const loadOf = (state: State, worker: WorkerHandle): number =>
  worker.running + worker.mailCount + (state.lanes.get(worker)?.size ?? 0);

/** The worker with the least to do, then the fewest keys. A blocked worker comes last: it may wait for this task. */
function leastOf(state: State): WorkerHandle | undefined {
  const workers = state.workers.filter(takesTasks);
  const blocked = (worker: WorkerHandle): number => Number(isBlocked(state, worker));
  workers.sort((a, b) => blocked(a) - blocked(b) || loadOf(state, a) - loadOf(state, b) || a.keys - b.keys);
  return workers[0];
}

const isBlocked = ({ blocked }: State, worker: WorkerHandle): boolean =>
  blocked.get(worker)?.isOpen() === true;

/** A starting worker is stopped at once, so it may retire only if it could lose no task. */
export const mayRetire = ({ table }: State, worker: WorkerHandle): boolean =>
  takesTasks(worker) && (worker.state === READY || !anythingQueued(table, worker.index));

function shrink(state: State): void {
  // A successor is no surplus: the worker that it replaces will retire.
  const surplus = state.count - state.options.maxThreads - (state.workers.some(isReplaced) ? 1 : 0);
  if (surplus <= 0) return;
  const rankOf = (worker: WorkerHandle): number => (worker.state === READY ? loadOf(state, worker) + 1 : 0);
  const staying = state.workers.filter(takesTasks).sort((a, b) => rankOf(a) - rankOf(b));
  for (const worker of staying.slice(0, surplus)) if (mayRetire(state, worker)) retire(state, worker);
}

export function retire(state: State, worker: WorkerHandle): void {
  worker.readMessages();
  if (!takesTasks(worker)) return;
  if (worker.state === STARTING) {
    kill(state, worker);
    return;
  }
  askBack(state, worker);
  worker.state = RETIRING;
  state.retiring++;
  leaveHome(state, worker);
  tellToRetire(state, worker);
}

/** Not while the worker keeps a stream: once retired, it could not be woken for the stream's next item. */
function tellToRetire(state: State, worker: WorkerHandle): void {
  // A lane may be empty: it stays in the map until the next refill.
  if (worker.hasRetireMessage || worker.openStreams > 0 || (state.lanes.get(worker)?.size ?? 0) > 0) return;
  worker.hasRetireMessage = true;
  worker.post(['retire']);
}

/** Moves all tasks with a key away from a retiring worker: if some stayed, younger tasks would overtake older ones. */
function leaveHome(state: State, worker: WorkerHandle): void {
  const isForIt = ({ slot, extras }: Task): boolean =>
    extras?.key !== undefined && addresseeOf(state.table, slot) === worker.index;
  if (worker.mailCount > 0) takeBackAll(state, isForIt);
  const lane = state.lanes.get(worker);
  if (lane === undefined) return;
  state.lanes.delete(worker);
  findHomes(state, lane.takeAll());
}

/** Stops a worker at once, after reading its reports. Tasks that it still runs settle when its thread exits. */
export function kill(state: State, worker: WorkerHandle): void {
  if (worker.state >= STOPPING) return;
  drain(state, worker);
  worker.readMessages();
  // A task that was settled by `drain` may have stopped the worker already.
  if (worker.state >= STOPPING) return;
  leave(state, worker);
  worker.state = worker.endedAs = STOPPING;
  void worker.thread.terminate();
  forsake(state, worker);
}

/** Moves or rejects what waits for a stopped worker, whose thread may not exit for long. */
function forsake(state: State, worker: WorkerHandle): void {
  const isForIt = ({ slot }: Task): boolean => addresseeOf(state.table, slot) === worker.index;
  if (worker.mailCount > 0) takeBackAll(state, isForIt);
  leaveHome(state, worker);
  if (worker.mailCount + worker.openStreams + (state.lanes.get(worker)?.size ?? 0) === 0) return;
  // Not at once: the code that stopped the worker may reject these tasks itself, with a more precise reason.
  timers.setImmediate(() => {
    if (worker.state === EXITED) return;
    const lost = state.lanes.get(worker)?.takeAll() ?? [];
    state.lanes.delete(worker);
    lost.push(
      ...state.slots.publishedYoungestFirst().filter((task) => isForIt(task) && takeOut(state, task)),
    );
    const failure = (handler?: message.Handler): WorkerError => workerFailure(worker, undefined, handler);
    for (const task of lost) state.settle(task, failure(state.handlers.of(task.handler)), true, true);
    for (const stream of [...state.streams]) if (stream.worker === worker) stream.fail(failure());
    state.changed();
  });
}

export function leave(state: State, worker: WorkerHandle): void {
  const place = state.workers.indexOf(worker);
  if (place === -1) return;
  state.workers.splice(place, 1);
  if (worker.state === RETIRING) state.retiring--;
  state.exiting.add(worker);
}

/** Lets all workers dispose for `patience` milliseconds. False: some have not finished. */
export async function retireAll(state: State, patience: number): Promise<boolean> {
  // The host may not have read yet that a worker is ready, though it has seen the worker's results.
  for (const worker of [...state.workers]) worker.readMessages();
  const disposing = state.workers.filter((worker) => isRunning(worker) && worker.disposes);
  for (const worker of disposing) retire(state, worker);
  return isInTime(Promise.all(disposing.map((worker) => worker.exited)), patience);
}

/** Stops every worker. Resolves when all threads have exited; false: some have not after `patience` milliseconds. */
export async function killAll(state: State, patience: number): Promise<boolean> {
  timers.clearTimeout(state.idleTimer);
  timers.clearTimeout(state.pauseTimer);
  timers.clearTimeout(state.aheadTimer);
  for (const worker of [...state.workers]) kill(state, worker);
  const exited = Promise.all([...state.exiting].map((worker) => worker.exited));
  return (await isInTime(exited, IN_DENO ? Math.min(patience, DENO_PATIENCE) : patience)) || IN_DENO;
}

function watchIdle(state: State): void {
  const { idleTimeout, minThreads } = state.options;
  if (state.idleTimer !== undefined || state.ended || idleTimeout === Number.POSITIVE_INFINITY) return;
  if (state.count <= minThreads) return;
  const enough = Math.max(idleTimeout, LEAST_IDLE);
  state.idleTimer = later(enough / 2, () => {
    state.idleTimer = undefined;
    for (const worker of [...state.workers].reverse()) retireIdle(state, worker, enough);
    watchIdle(state);
  });
}

function retireIdle(state: State, worker: WorkerHandle, enough: number): void {
  if (!isRunning(worker) || worker.openStreams > 0 || !worker.hasNothing) worker.idleSince = undefined;
  else if (worker.idleSince === undefined || worker.idleMark !== worker.claimed) {
    worker.idleSince = now();
    worker.idleMark = worker.claimed;
  }
  if (worker.state === RETIRING || state.readyCount <= state.options.minThreads) return;
  if (worker.idleSince === undefined || now() - worker.idleSince < enough) return;
  retire(state, worker);
}

const isReplaced = ({ successor }: WorkerHandle): boolean => successor !== undefined;

/**
 * Replaces one due worker at a time, once its successor is ready. A worker with a number retires first, to free the
 * number.
 */
export function recycle(state: State): void {
  if (state.closing || state.workers.some(isReplaced)) return;
  const most = state.options.maxTasksPerWorker ?? Number.POSITIVE_INFINITY;
  const old = state.workers.find((worker) => isDue(worker, most));
  if (old === undefined) return;
  if (old.number !== undefined) {
    retire(state, old);
    return;
  }
  // A worker replaced earlier may keep streams for long.
  if (state.workers.length > state.options.maxThreads) return;
  old.successor = spawn(state, 1);
  if (old.successor === undefined) old.postponedAt = old.completed;
}

/** If its replacement failed, a worker is due again after `most` further tasks, or 1000. */
function isDue({ state, isOverHeap, completed, postponedAt }: WorkerHandle, most: number): boolean {
  if (state !== READY) return false;
  if (postponedAt === undefined) return isOverHeap || completed >= most;
  return completed - postponedAt >= Math.min(most, 1000);
}

function replace(state: State, old: WorkerHandle): void {
  const { successor } = old;
  if (successor?.state === STARTING) return;
  old.successor = undefined;
  if (successor?.state === READY) retire(state, old);
  else old.postponedAt = old.completed;
}
