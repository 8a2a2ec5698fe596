import { ask, runnerOf } from '../shared/table.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import { forget, takeBack } from './dispatch.js';
import type { State } from './state.js';
import { IN_TABLE, LOOSE, PAUSED, SETTLED, type Task } from './task.js';
import { kill } from './workers.js';

// How a task is cancelled that a worker has claimed.
/** It goes on. */
export const LEAVE = 0;
/** It is asked to end, and its worker is stopped when it has not after `grace`; the worker must have called it with a context. */
export const ASK = 1;
/** The same if it has a `grace`, otherwise its worker is stopped at once and replaced. */
export const END = 2;

/**
 * Ends a task before its time: it is rejected, wherever it waits, and one that a worker has claimed is ended as `how` says.
 * False: it has ended already, or goes on.
 */
export function cancel(
  state: State,
  task: Task,
  reason: unknown,
  how: typeof LEAVE | typeof ASK | typeof END,
  grace = task.extras?.grace ?? 0,
): boolean {
  const { place, slot } = task;
  if (place === SETTLED) return false;
  if (place !== IN_TABLE || takeBack(state, task)) {
    if (place === IN_TABLE) task.place = LOOSE;
    if (place === PAUSED) unpause(state, task);
    // First, because what is called for its end may cancel others, or take what is next.
    forget(state, task, place);
    state.settle(task, reason, true);
    return true;
  }
  if (how === LEAVE) return false;
  if ((how === ASK || grace > 0) && askToEnd(state, task, reason, grace)) return true;
  if (how === ASK) return false;
  const index = state.slots.condemn(slot);
  // It has ended, and the host has not read that yet: what a stream was opened with is needed to close it.
  if (index === -1 && task.extras?.stream === 'opens') return false;
  state.settle(task, reason, true);
  const worker = state.workers.find((candidate) => candidate.index === index);
  if (worker !== undefined) kill(state, worker);
  return true;
}

/** The reason first: who sees that it is asked reads the port for it. */
function askToEnd(state: State, task: Task, reason: unknown, grace: number): boolean {
  const { extras, slot } = task;
  if (extras === undefined) return false;
  if (extras.verdict !== undefined) return true;
  const index = runnerOf(state.table, slot);
  const worker = state.workers.find((candidate) => candidate.index === index);
  if (worker === undefined) return false;
  state.inputs.abort(worker, slot, reason);
  if (!ask(state.table, slot)) return false;
  extras.verdict = { reason };
  if (grace <= LONGEST_TIMER) stopAfter(state, task, reason, grace);
  return true;
}

function stopAfter(state: State, task: Task, reason: unknown, grace: number): void {
  const { extras } = task;
  if (extras === undefined) return;
  const stop = (): void => {
    state.timing?.atNow();
    cancel(state, task, reason, END, 0);
    state.changed(false);
  };
  const timer = timers.setTimeout(stop, grace);
  const { release } = extras;
  extras.release = () => {
    timers.clearTimeout(timer);
    release?.();
  };
}

export function unpause(state: State, task: Task): void {
  timers.clearTimeout(state.paused.get(task));
  state.paused.delete(task);
}
