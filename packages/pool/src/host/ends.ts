import type { WorkerError } from '../errors.js';
import { now } from '../shared/clock.js';
import { reclaimSpinPermits } from '../shared/gate.js';
import type { Handler } from '../shared/messages.js';
import { ask, runnerOf, sweep } from '../shared/table.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import { drain, finish, putBack, putIntoLane, rejectWaiting, takeOut, taskOf } from './dispatch.js';
import { notRetryable, workerFailure } from './faults.js';
import { interrupt } from './host-calls.js';
import { type RetryPolicy, retryOf } from './options.js';
import { unreturned } from './returns.js';
import type { State } from './state.js';
import { LOOSE, PAUSED, SETTLED, type Task } from './task.js';
import { EXITED, READY, STOPPING, type WorkerHandle } from './worker-handle.js';
import { findHome, kill, leave } from './workers.js';

// How `cancel` treats a task that a worker has claimed. LEAVE: it goes on.
export const LEAVE = 0;
/** Ask it to end, and stop its worker after `grace`. Its function must have been called with a context. */
export const ASK = 1;
/** As ASK if it has a `grace`; otherwise stop and replace its worker at once. */
export const END = 2;
type How = typeof LEAVE | typeof ASK | typeof END;

/** Rejects a task before its end, wherever it is; `how` is for a running task. False: it has ended, or goes on. */
export function cancel(state: State, task: Task, reason: unknown, how: How, grace?: number): boolean {
  state.timing?.before(now());
  const isCancelled =
    withdraw(state, task, reason) ||
    (how !== LEAVE && endRunning(state, task, reason, how, grace ?? task.extras?.grace ?? 0));
  if (isCancelled) state.changed();
  return isCancelled;
}

export function withdraw(state: State, task: Task, reason: unknown): boolean {
  if (!takeOut(state, task)) return false;
  state.settle(task, reason, true);
  return true;
}

function endRunning(state: State, task: Task, reason: unknown, how: How, grace: number): boolean {
  if (task.place === SETTLED) return false;
  if ((how === ASK || grace > 0) && askToEnd(state, task, reason, grace)) return true;
  if (how === ASK) return false;
  const index = state.slots.condemn(task.slot);
  // It has ended, which the host has not read yet. The result of opening a stream is needed to close the stream.
  if (index === -1 && task.extras?.stream === 'opens') return false;
  state.settle(task, reason, true);
  const worker = state.workerAt(index);
  if (worker !== undefined) kill(state, worker);
  return true;
}

/** Posts the reason first, because a worker that sees ASKED reads the reason from its port. */
function askToEnd(state: State, task: Task, reason: unknown, grace: number): boolean {
  const { extras, slot } = task;
  if (extras === undefined) return false;
  if (extras.verdict !== undefined) return true;
  const worker = state.workerAt(runnerOf(state.table, slot));
  if (worker === undefined) return false;
  state.slots.abort(worker, slot, reason);
  if (!ask(state.table, slot)) return false;
  extras.verdict = { reason };
  interrupt(state, worker, slot, reason);
  if (grace > LONGEST_TIMER) return true;
  const timer = timers.setTimeout(() => cancel(state, task, reason, END, 0), grace);
  const { release } = extras;
  extras.release = () => {
    timers.clearTimeout(timer);
    release?.();
  };
  return true;
}

const tries = new WeakMap<Task, number>();

/** After this many idle deaths in a row, waiting tasks are rejected. Not sooner: workers may be ended from outside. */
const MOST_IDLE_DEATHS = 10;

/** A worker's thread has exited. Returns `isShort` for `plan`. */
export function workerExited(state: State, worker: WorkerHandle, exitCode: number): boolean {
  leave(state, worker);
  worker.endedAs = worker.state;
  worker.state = EXITED;
  state.exited++;
  const isStopped = worker.endedAs === STOPPING;
  const isStillborn = !worker.hasStarted && !isStopped;
  const errorOf = (handler?: Handler): WorkerError => workerFailure(worker, exitCode, handler);
  if (isStillborn) state.allReady.reject(errorOf());
  if (worker.keys > 0)
    for (const [place, home] of state.homes) if (home === worker) state.homes.delete(place);
  const { dead, ran } = reap(state, worker);
  dead.push(...unreturned(state, worker));
  const policy = retryOf('options.retry', state.options.retry);
  for (const task of dead)
    lose(state, task, errorOf(state.handlers.of(task.handler)), task.extras?.retry ?? policy);
  for (const stream of [...state.streams]) if (stream.worker === worker) stream.fail(errorOf());
  if (worker.times !== undefined) state.timing?.died(worker.times);
  state.exiting.delete(worker);
  state.blocked.delete(worker);
  if (isStillborn) giveUp(state, errorOf);
  else if (!isStopped && ran === 0 && worker.failure !== undefined) state.emit('error', worker.failure.error);
  state.emit('workerDestroy', worker);
  reclaimSpinPermits(state.table, worker.index);
  state.freeIndexes.push(worker.index);
  const hasWorked = worker.completed > 0 || ran > 0;
  if (hasWorked) state.idleDeaths = 0;
  const isIdleDeath = !hasWorked && worker.endedAs === READY;
  if (isIdleDeath && ++state.idleDeaths >= MOST_IDLE_DEATHS) {
    state.idleDeaths = 0;
    rejectWaiting(state, () => errorOf());
  }
  return !isIdleDeath && (!isStillborn || state.workers.length > 0);
}

/** Collects what an exited worker leaves. `dead`: tasks that it ran, whose transfers it had, or that only it could run. */
function reap(state: State, worker: WorkerHandle): { dead: Task[]; ran: number } {
  const dead: Task[] = [];
  state.refusedAt = -1;
  drain(state, worker);
  const remains = sweep(state.table, worker.index);
  for (const slot of remains.done) finish(state, worker, slot);
  for (const slot of remains.running) {
    const task = taskOf(state, slot);
    state.slots.giveBack(slot);
    if (task.place !== SETTLED) dead.push(task);
  }
  const lane = state.lanes.get(worker);
  state.lanes.delete(worker);
  for (const task of lane === undefined ? [] : lane.takeAll()) {
    if (task.isBound) dead.push(task);
    else {
      state.setHome(task, undefined);
      putIntoLane(state, task);
    }
  }
  for (const slot of remains.mail.reverse()) {
    const task = taskOf(state, slot);
    const isSent = task.hasTransfer && !state.slots.isOwed(slot);
    state.slots.giveBack(slot);
    if (task.place === SETTLED) continue;
    if (isSent || task.isBound) dead.push(task);
    else {
      if (task.isPinned) state.setHome(task, undefined);
      putBack(state, task);
    }
  }
  for (const task of dead) task.place = LOOSE;
  return { dead, ran: remains.running.length };
}

/** If no worker can start, rejects all waiting tasks, which would wait for ever. */
function giveUp(state: State, errorOf: () => WorkerError): void {
  const error = errorOf();
  state.breaker.failed(error);
  if (state.workers.length > 0) return;
  const waiting = state.outstanding;
  // An error for each task, because it says whether the task's transferred objects are gone.
  rejectWaiting(state, () => errorOf());
  if (waiting === 0) state.emit('error', error);
}

function lose(state: State, task: Task, error: WorkerError, policy: RetryPolicy | undefined): void {
  if (task.place === SETTLED) return;
  const before = tries.get(task) ?? 0;
  const mayRunAgain =
    policy?.on.includes(error.code) === true &&
    before < policy.max &&
    !task.isBound &&
    task.extras?.verdict === undefined;
  if (!mayRunAgain) state.settle(task, error, true, true);
  else if (task.hasTransfer) state.settle(task, notRetryable(error), true);
  else {
    tries.set(task, before + 1);
    runAgainAfter(state, task, policy.backoff * 2 ** before);
  }
}

/** The task stays outstanding; its signal and timeout still end it. */
function runAgainAfter(state: State, task: Task, backoff: number): void {
  if (task.isPinned) state.setHome(task, undefined);
  if (backoff === 0) {
    runAgain(state, task);
    return;
  }
  const onTime = (): void => {
    state.paused.delete(task);
    runAgain(state, task);
    state.changed();
  };
  task.place = PAUSED;
  // Unreferenced: the outstanding task keeps the process alive.
  state.paused.set(task, timers.setTimeout(onTime, Math.min(backoff, LONGEST_TIMER)).unref());
}

function runAgain(state: State, task: Task): void {
  try {
    findHome(state, task);
    putBack(state, task);
  } catch (error) {
    state.settle(task, error, true);
  }
}
