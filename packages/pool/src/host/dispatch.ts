import { CARRIED } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { restore } from '../shared/error-record.js';
import { FLAGS } from '../shared/layout.js';
import { FAILED, IN_SLOT, PLACE_MASK } from '../shared/messages.js';
import {
  addresseeOf,
  CALL,
  drainOne,
  oldestQueued,
  PULL,
  publish,
  publishTo,
  queuedEntries,
  retract,
  slotAt,
} from '../shared/table.js';
import { timers } from '../shared/timers.js';
import { uncloneable, unreadable } from '../shared/uncloneable.js';
import { hearBlocked } from './host-calls.js';
import { List, Queue } from './queue.js';
import type { State } from './state.js';
import { AHEAD, KEYED_AHEAD, LEAST_SHARE, limitAhead, mayPostAhead, onlyTaker, takerOf } from './takers.js';
import { IN_LANE, IN_TABLE, LOOSE, PAUSED, QUEUED, SETTLED, type Task } from './task.js';
import { READY, RETIRING, takesTasks, type WorkerHandle } from './worker-handle.js';

const NO_ROOM = 0;
const SMALL = 1;
const LARGE = 2;

/** The host stops keeping the order after this many tasks in a row without a priority. */
const PLAIN_AGAIN = 2048;

/** Milliseconds from which reading an outcome counts as slow, and for how many tasks it is then expected to stay slow. */
const SLOW = 0.2;
const LATELY = 64;

/** Puts a task into the table, or where it waits. Returns whether it may be announced together with later tasks. */
export function dispatch(state: State, task: Task): boolean {
  if (task.isPinned) {
    const worker = task.extras?.worker;
    const mayPass = worker !== undefined && !state.lanes.get(worker)?.size && mayGetMail(state, worker);
    const isHeld = !mayPass || (state.isPaused && !task.isStep);
    if (isHeld || place(state, task, worker) === NO_ROOM) putIntoLane(state, task);
    return true;
  }
  const outcome = state.queue.size > 0 || !hasRoom(state) ? NO_ROOM : place(state, task);
  if (outcome !== NO_ROOM) return outcome === SMALL;
  // Custom queues and load balancers may abort tasks.
  if (task.place === SETTLED) return true;
  try {
    task.place = QUEUED;
    state.queue.push(task);
  } catch (error) {
    // A custom queue may throw, but run() must not.
    state.settle(task, error, true);
  }
  return true;
}

const laneOf = ({ homeless, lanes }: State, worker: WorkerHandle | undefined): List | undefined =>
  worker === undefined ? homeless : lanes.get(worker);

export function putIntoLane(state: State, task: Task, isFirst = false): void {
  const worker = task.extras?.worker;
  let lane = laneOf(state, worker);
  if (lane === undefined) {
    lane = new List();
    state.lanes.set(worker as WorkerHandle, lane);
  }
  if (isFirst) lane.putBack(task);
  else lane.push(task);
  task.place = IN_LANE;
}

export function putBack(state: State, task: Task): void {
  if (task.isPinned) {
    putIntoLane(state, task, true);
    return;
  }
  task.place = QUEUED;
  state.queue.putBack(task);
}

const mayGetMail = ({ slots }: State, worker: WorkerHandle): boolean =>
  worker.state <= RETIRING && slots.freeCount > 0 && worker.hasMailRoom;

/** Moves tasks from lanes into mailboxes with room; while the pool is paused, only steps of streams. */
export function refillLanes(state: State): void {
  if (state.isPaused && state.bound === 0) return;
  for (const [worker, lane] of state.lanes) {
    while (mayGetMail(state, worker)) {
      let task = lane.first;
      while (task !== undefined && state.isPaused && !task.isStep) task = task.next;
      if (task === undefined) break;
      lane.remove(task);
      task.place = LOOSE;
      if (place(state, task, worker) === NO_ROOM) {
        putIntoLane(state, task, true);
        break;
      }
    }
    // A getter of a value may have emptied and replaced the lane.
    if (state.lanes.get(worker)?.size === 0) state.lanes.delete(worker);
  }
}

export function takeBackAll(state: State, filter: (task: Task) => boolean): void {
  // Transferred objects that were posted to a worker cannot be taken back.
  const isOnItsWay = (task: Task): boolean => task.hasTransfer && !state.slots.isOwed(task.slot);
  for (const task of state.slots.publishedYoungestFirst())
    if (filter(task) && !isOnItsWay(task) && takeBack(state, task)) putBack(state, task);
}

export function refill(state: State): void {
  if (state.refusedAt === state.completed) return;
  while (state.queue.size > 0 && hasRoom(state)) {
    const task = state.queue.shift();
    if (task === undefined) return;
    task.place = LOOSE;
    if (place(state, task) === NO_ROOM) {
      putBack(state, task);
      return;
    }
  }
}

/** Does a task wait only for room in a mailbox? Workers make room without notice, as they claim or skip entries. */
export function waitsForMailRoom(state: State): boolean {
  const { queue, lanes, choose, refusedAt, completed } = state;
  if (lanes.size > 0) return true;
  return choose !== undefined && queue.size > 0 && refusedAt !== completed && hasRoom(state);
}

/** If outcomes are slow to read, a worker has one task ahead: more outcomes would drop out of the CPU cache. */
function hasRoom({ slots, ordered, workers, options, isPaused, slowLately, choose }: State): boolean {
  if (slots.freeCount === 0 || isPaused) return false;
  if (!ordered && slowLately === 0) return true;
  let capacity = 0;
  for (const worker of workers) {
    const isCounted = ordered ? worker.state === READY : takesTasks(worker);
    const places = isCounted ? options.concurrentTasksPerWorker + (ordered ? 0 : 1) : 0;
    // Tasks posted ahead, and tasks of a retiring worker, take no room from other workers.
    const ahead = choose === undefined ? Math.min(worker.mailed, worker.mailCount) : 0;
    const isFuller = ahead > 0 || worker.state === RETIRING;
    capacity += isFuller ? Math.max(places, worker.running + ahead) : places;
  }
  return slots.inUse - slots.pinned < capacity;
}

/** Writes a task into the table and publishes it, unless it settles first. */
function place(state: State, task: Task, pinnedTo?: WorkerHandle): number {
  const { slots, hooks } = state;
  let chosen = pinnedTo;
  if (chosen === undefined && state.choose !== undefined) {
    try {
      chosen = state.choose(task);
    } catch (error) {
      state.settle(task, error, true);
      return SMALL;
    }
    if (task.place === SETTLED) return SMALL;
    if (chosen === undefined) state.refusedAt = state.completed;
    if (chosen === undefined || !chosen.hasMailRoom) return NO_ROOM;
  }
  if (chosen === undefined && task.hasTransfer) {
    chosen = onlyTaker(state, task);
    if (chosen !== undefined && slots.inUse >= limitAhead(state)) return NO_ROOM;
  }
  const slot = slots.take(task);
  let isSmall: boolean;
  try {
    const from = hooks === undefined ? 0 : now();
    isSmall = slots.write(task, slot);
    hooks?.written(slot, from, now());
  } catch (error) {
    slots.giveBack(slot);
    state.settle(task, whyNotSent(state, task, error), true);
    return SMALL;
  }
  if (task.place === SETTLED) {
    slots.giveBack(slot);
    return SMALL;
  }
  task.place = IN_TABLE;
  if (chosen === undefined ? publishToAll(state, task, slot) : publishToOne(state, chosen, task, slot))
    return isSmall ? SMALL : LARGE;
  slots.giveBack(slot);
  task.place = LOOSE;
  return NO_ROOM;
}

function publishToAll(state: State, task: Task, slot: number): boolean {
  const taker = state.slots.isOwed(slot) ? takerOf(state, task) : undefined;
  if (taker !== undefined) return publishToOne(state, taker, task, slot);
  // False: the ring is full of retracted slots behind an unclaimed slot, so every worker is busy.
  return publish(state.table, slot);
}

function publishToOne(state: State, worker: WorkerHandle, task: Task, slot: number): boolean {
  const isAhead = !task.isPinned && state.choose === undefined;
  // A task for this worker alone may wait long, and what it transfers would be lost with the worker.
  const mayWait = !isAhead && task.hasTransfer && !worker.hasNothing;
  const isOwed = mayWait && (worker.mailCount >= KEYED_AHEAD || !mayPostAhead(state, worker, task));
  if (!isOwed && !sendPayload(state, worker, task, isAhead)) {
    state.slots.giveBack(slot);
    return true;
  }
  if (!publishTo(state.table, worker.index, slot)) return false;
  if (!task.isPinned) state.slots.mail(slot, worker);
  worker.wake();
  return true;
}

/**
 * Gives a quick worker the oldest tasks ahead, while as many wait for each worker. Not a task submitted since the
 * host last drained the worker: the worker's current task may have caused it and wait for it.
 */
export function postAhead(state: State, worker: WorkerHandle): void {
  const { table, workers } = state;
  while (worker.mailCount < AHEAD) {
    const slot = oldestQueued(table);
    const share = Math.max(LEAST_SHARE, worker.mailCount);
    if (slot === -1 || queuedEntries(table) < workers.length * share) return;
    const task = taskOf(state, slot);
    if (!task.hasTransfer || task.number > worker.lastNumber || !mayPostAhead(state, worker, task)) return;
    if (!retract(table, slot)) return;
    publishToOne(state, worker, task, slot);
  }
}

function sendPayload(state: State, worker: WorkerHandle, task: Task, mayReturn = false): boolean {
  try {
    state.slots.send(worker, task, mayReturn);
    return true;
  } catch (error) {
    state.settle(task, whyNotSent(state, task, error), true);
    return false;
  }
}

/** The error names a path in the caller's value, which a packed task has as its property `task`. */
function whyNotSent({ handlers }: State, task: Task, error: unknown): unknown {
  const isPacked = (handlers.of(task.handler).call & CARRIED) !== 0;
  return uncloneable(isPacked ? '' : 'task', task.value, error);
}

/** Keeps the order from the first priority on, which costs a turn for each task. Returns whether tasks were taken back. */
export function heed(state: State, task: Task): boolean {
  const { queue } = state;
  if (!(queue instanceof Queue)) return false;
  const hasPriority = task.extras !== undefined && task.extras.priority !== 0;
  if (state.ordered) {
    state.plainInARow = hasPriority ? 0 : state.plainInARow + 1;
    if (state.plainInARow >= PLAIN_AGAIN && !queue.isRanked) state.ordered = false;
  } else if (hasPriority) {
    state.ordered = true;
    state.plainInARow = 0;
    // A task posted to an idle worker stays: posted again, it might find that mailbox not empty.
    takeBackAll(state, (published) => !published.isPinned && !state.slots.isSent(published.slot));
    return true;
  }
  return false;
}

/** Reads a worker's reports. Returns how many tasks have ended or wait for the host. */
export function drain(state: State, worker: WorkerHandle, limit = Number.POSITIVE_INFINITY): number {
  if (state.hasStrays) {
    state.slots.collectStrays();
    state.hasStrays = false;
  }
  let ended = 0;
  while (ended < limit) {
    const entry = drainOne(state.table, worker.index);
    if (entry === -1) break;
    if (entry === CALL) {
      hearBlocked(state, worker);
      ended++;
      continue;
    }
    if ((entry & PULL) !== 0) {
      const slot = entry & ~PULL;
      if (!sendPayload(state, worker, taskOf(state, slot))) state.slots.cancel(worker, slot);
      continue;
    }
    finish(state, worker, entry);
    ended++;
  }
  return ended;
}

export const taskOf = (state: State, slot: number): Task => state.slots.tasks[slot] as Task;

export function finish(state: State, worker: WorkerHandle, slot: number): void {
  // Host calls that a task did not await are made before the task is over.
  if (state.callsHost) worker.readMessages();
  const { words, layout } = state.table;
  const base = slotAt(layout, slot);
  const task = taskOf(state, slot);
  const flags = words[base + FLAGS] as number;
  let failed = (flags & FAILED) !== 0;
  let value: unknown;
  const { hooks } = state;
  const isLarge = (flags & PLACE_MASK) !== IN_SLOT;
  const from = isLarge || hooks !== undefined ? now() : 0;
  try {
    value = state.slots.read(worker, slot, base, flags);
    if (failed) value = restore(value as never);
  } catch (reason) {
    value = unreadable(failed ? 'the thrown value' : 'result', reason);
    failed = true;
  }
  if (isLarge && now() - from > SLOW) state.slowLately = LATELY;
  else if (state.slowLately > 0) state.slowLately--;
  hooks?.read(worker, slot, base, failed, from, now());
  worker.completed++;
  // With concurrent tasks, the worker runs others while a task waits for its payload, so its pace does not matter.
  if (task.hasTransfer && state.options.concurrentTasksPerWorker === 1) worker.taskEnded(now());
  state.slots.giveBack(slot);
  state.settle(task, value, failed, true);
}

/** Rejects unclaimed tasks for which `filter` holds, only the youngest `most` of them. */
export function rejectWaiting(
  state: State,
  reasonFor: (task: Task) => unknown,
  filter: (task: Task) => boolean = () => true,
  most = Number.POSITIVE_INFINITY,
): void {
  const { queue, lanes, homeless, slots } = state;
  const pinned = [...lanes.values(), homeless].flatMap((lane) => [...lane]);
  const waiting = [...pinned, ...queue].filter(filter);
  // All leave first, because code that runs when a task settles may end another task.
  const out = waiting.slice(Math.max(0, waiting.length - most)).filter((task) => takeOut(state, task));
  for (const task of slots.publishedYoungestFirst())
    if (out.length < most && filter(task) && takeOut(state, task)) out.unshift(task);
  for (const task of out) state.settle(task, reasonFor(task), true);
}

/** Removes a task from where it waits. False: it is settled, or a worker has claimed it. */
export function takeOut(state: State, task: Task): boolean {
  const { place } = task;
  if (place === SETTLED || (place === IN_TABLE && !takeBack(state, task))) return false;
  task.place = LOOSE;
  if (place === QUEUED) state.queue.remove(task);
  else if (place === IN_LANE) laneOf(state, task.extras?.worker)?.remove(task);
  else if (place === PAUSED) {
    timers.clearTimeout(state.paused.get(task));
    state.paused.delete(task);
  }
  return true;
}

/** Takes an unclaimed task out of the table. A worker that got its payload ahead is told to drop the payload. */
function takeBack(state: State, task: Task): boolean {
  const { slots } = state;
  const { slot } = task;
  const worker = slots.isSent(slot) ? state.workerAt(addresseeOf(state.table, slot)) : undefined;
  const sequence = slots.sequenceOf(slot);
  if (!slots.retract(task)) return false;
  state.refusedAt = -1;
  if (worker !== undefined) slots.cancel(worker, slot, sequence);
  return true;
}
