import { now } from '../shared/clock.js';
import { ask, runnerOf } from '../shared/table.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import { takeOut } from './dispatch.js';
import { interrupt } from './host-calls.js';
import type { State } from './state.js';
import { SETTLED, type Task } from './task.js';
import { kill } from './workers.js';

// How a task is cancelled that a worker has claimed.
/** It goes on. */
export const LEAVE = 0;
/** It is asked to end, and its worker is stopped when it has not after `grace`; the worker must have called it with a context. */
export const ASK = 1;
/** The same if it has a `grace`, otherwise its worker is stopped at once and replaced. */
export const END = 2;
type How = typeof LEAVE | typeof ASK | typeof END;

/** Rejects a task before its time, wherever it is; one that runs ends as `how` says. False: it has ended, or goes on. */
export function cancel(state: State, task: Task, reason: unknown, how: How, grace?: number): boolean {
  state.timing?.before(now());
  const isCancelled =
    withdraw(state, task, reason) ||
    (how !== LEAVE && endRunning(state, task, reason, how, grace ?? task.extras?.grace ?? 0));
  if (isCancelled) state.changed();
  return isCancelled;
}

/** Rejects a task that no worker has claimed. */
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
  // It has ended, and the host has not read that yet: what a stream was opened with is needed to close it.
  if (index === -1 && task.extras?.stream === 'opens') return false;
  state.settle(task, reason, true);
  const worker = state.workerAt(index);
  if (worker !== undefined) kill(state, worker);
  return true;
}

/** The reason first: a worker that sees ASKED reads the reason from the port. */
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
