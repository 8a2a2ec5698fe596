import type { Payload } from '../shared/messages.js';
import { addresseeOf } from '../shared/table.js';
import { timers } from '../shared/timers.js';
import { unreadable } from '../shared/uncloneable.js';
import { putBack } from './dispatch.js';
import type { State } from './state.js';
import { type Extras, LOOSE, PAUSED, type Task } from './task.js';
import { READY, type WorkerHandle } from './worker-handle.js';

// Payloads posted ahead are asked back if the task before them takes long, or another worker idles: the running task
// may wait for a message from a waiting task, through a port that both have.

/** Milliseconds after which a task counts as long. */
const LONG = 10;

export function watchAhead(state: State): void {
  if (state.aheadTimer !== undefined) return;
  for (const worker of state.workers) worker.watchedAt = worker.completed;
  state.aheadTimer = timers
    .setTimeout(() => {
      state.aheadTimer = undefined;
      if (state.ended || state.workers.length === 1) return;
      const isAnyIdle = state.workers.some(isIdle);
      for (const worker of state.workers) {
        const isLong = worker.watchedAt === worker.completed;
        if (worker.state === READY && worker.running > 0 && (isLong || isAnyIdle)) askBack(state, worker);
      }
      if (state.slots.mailed > 0) watchAhead(state);
    }, LONG)
    .unref();
}

const isIdle = (worker: WorkerHandle): boolean => worker.state === READY && worker.hasNothing;

/** Pauses tasks in a mailbox until the worker has posted them back. A worker told to retire may exit before reading this. */
export function askBack(state: State, worker: WorkerHandle): void {
  const { slots, table, returning, paused, choose } = state;
  if (worker.mailed === 0 || worker.mailCount === 0 || choose !== undefined) return;
  for (const task of slots.publishedYoungestFirst()) {
    const { slot, hasTransfer, isPinned } = task;
    if (!hasTransfer || isPinned || !slots.isSent(slot) || addresseeOf(table, slot) !== worker.index)
      continue;
    const sequence = slots.sequenceOf(slot);
    if (!slots.retract(task)) continue;
    task.place = PAUSED;
    paused.set(task, undefined);
    returning.set(sequence, { task, worker });
    worker.post(['return', slot, sequence]);
  }
}

/** A worker has posted a payload back. @param payload undefined: the worker could not post it */
export function takeReturned(state: State, sequence: number, payload: Payload | undefined): void {
  const { task } = state.returning.get(sequence) ?? {};
  state.returning.delete(sequence);
  if (task === undefined || !state.paused.delete(task)) return;
  task.place = LOOSE;
  try {
    if (payload === undefined) throw unreadable('task', new Error('its worker could not post it back'));
    // `isSent` stays true, because the caller no longer has the objects.
    const extras = task.extras as Extras;
    task.value = payload.value;
    extras.transfer = payload.transfer ?? [];
    putBack(state, task);
  } catch (error) {
    state.settle(task, error, true);
  }
  state.changed();
}

/** Tasks that a dead worker had not posted back. */
export function unreturned(state: State, deadWorker: WorkerHandle): Task[] {
  const lost: Task[] = [];
  for (const [sequence, { task, worker }] of state.returning) {
    if (worker !== deadWorker) continue;
    state.returning.delete(sequence);
    if (state.paused.delete(task)) lost.push(task);
  }
  for (const task of lost) task.place = LOOSE;
  return lost;
}
