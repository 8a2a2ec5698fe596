import { PoolError } from '../errors.js';
import { type HostRequest, isThenable } from '../shared/calls.js';
import { carry, carryLess } from '../shared/error-record.js';
import { answered, hear, heard, isWaiting, mayAnswer, tooLate } from '../shared/host-call.js';
import { FLAGS } from '../shared/layout.js';
import { ANSWER, FAILED, PAYLOAD, type TransferList } from '../shared/messages.js';
import { isMovable, unwrap } from '../shared/move.js';
import { slotAt } from '../shared/table.js';
import { uncloneable, unreadable } from '../shared/uncloneable.js';
import type { HostFunctions } from './options.js';
import type { BlockingCall, State } from './state.js';
import { SETTLED, type Task } from './task.js';
import { STOPPING, type WorkerHandle } from './worker-handle.js';

// Calls of functions of the host by tasks: posted, or in the table by a worker that is blocked until it has the answer.

type Answer = BlockingCall['answer'];

const settled = Promise.resolve();

/** A worker is blocked, or was: it may have given up. */
export function hearBlocked(state: State, worker: WorkerHandle): void {
  const { table, slots, blocked } = state;
  const call = hear(table, worker.index);
  if (call === undefined) return;
  const { slot, number } = call;
  const answer: Answer = (value, isFailed) => {
    if (blocked.get(worker) !== blocking) return;
    blocked.delete(worker);
    if (!mayAnswer(table, worker.index, number)) return;
    try {
      send(value, isFailed, (sent, transfer, failed) =>
        slots.answer(worker, slot, sent, transfer, failed ? FAILED : 0),
      );
    } finally {
      answered(table, worker.index, number);
    }
  };
  const blocking: BlockingCall = { worker, slot, number, answer, nested: [] };
  blocked.set(worker, blocking);
  const base = slotAt(table.layout, slot);
  const read = (): unknown => slots.read(worker, slot, base, table.words[base + FLAGS] as number);
  const request = requestOf(read, answer, () => heard(table, worker.index, number));
  if (request !== undefined) serve(state, slots.tasks[slot] as Task, request, answer, blocking);
}

/** A task has called, and goes on meanwhile. */
export function hearPosted(
  state: State,
  worker: WorkerHandle,
  call: number,
  slot: number,
  sequence: number,
): void {
  const { slots } = state;
  const answer: Answer = (value, isFailed) => {
    if (worker.state >= STOPPING) return;
    send(value, isFailed, (sent, transfer, failed) => {
      const number = worker.nextMessage;
      worker.post([PAYLOAD, ~call, 0, { value: sent }], transfer);
      worker.post([ANSWER, call, failed, number]);
    });
  };
  const request = requestOf(() => worker.payload(~call, 0).value, answer);
  if (request === undefined) return;
  const task = slots.tasks[slot];
  if (task === undefined || task.place === SETTLED || slots.sequenceOf(slot) !== sequence)
    answer(tooLate(request[0]), true);
  else serve(state, task, request, answer);
}

/** undefined: it cannot be read, and that is the answer. */
function requestOf(read: () => unknown, answer: Answer, then = () => {}): HostRequest | undefined {
  let failure: { reason: unknown };
  try {
    return read() as HostRequest;
  } catch (reason) {
    failure = { reason };
  } finally {
    then();
  }
  answer(unreadable('arguments', failure.reason), true);
  return undefined;
}

/** What cannot be sent becomes the reason why the call fails. */
function send(
  value: unknown,
  isFailed: boolean,
  to: (sent: unknown, transfer: TransferList, isFailed: boolean) => void,
): void {
  const fail = (error: unknown): void => {
    const thrown = carry(error);
    try {
      to(thrown, [], true);
    } catch (reason) {
      to(carryLess(thrown, reason), [], true);
    }
  };
  try {
    const moved = isMovable(value) ? unwrap(value) : { value, transfer: [] };
    if (isFailed) fail(value);
    else to(moved.value, moved.transfer, false);
  } catch (cause) {
    fail(uncloneable('answer', value, cause));
  }
}

/** Calls the function: soon, not here, in the middle of the pool's work. */
function serve(
  state: State,
  task: Task,
  [name, items]: HostRequest,
  answer: Answer,
  blocking?: BlockingCall,
): void {
  const functions = [task.extras?.host, state.options.host];
  const owner = functions.find((owned) => owned?.[name] !== undefined);
  const called = owner?.[name] as HostFunction | undefined;
  const call = (): unknown => {
    state.serving = blocking;
    try {
      if (called === undefined) throw missing(name, functions);
      return called(...items);
    } finally {
      state.serving = undefined;
    }
  };
  void settled.then(async () => {
    if (state.ended) return;
    try {
      const result = call();
      answer(isThenable(result) ? await result : result, false);
    } catch (error) {
      answer(error, true);
    }
  });
}

type HostFunction = (...items: unknown[]) => unknown;

function missing(name: string, functions: readonly (HostFunctions | undefined)[]): PoolError {
  const names = new Set(functions.flatMap((some) => Object.keys(some ?? {})));
  const only = names.size === 0 ? 'none' : [...names].map((known) => `'${known}'`).join(', ');
  const message = `The host has no function '${name}' for this task; there are: ${only}`;
  return new PoolError('PLIMSOLL_POOL_NO_HOST_FUNCTION', message);
}

/** The task in a slot was asked to end: a call for which its worker is blocked fails with the reason. */
export function interrupt(state: State, worker: WorkerHandle, slot: number, reason: unknown): void {
  const call = state.blocked.get(worker);
  if (call?.slot === slot) call.answer(reason, true);
}

/**
 * Why a task must not be submitted by the function of a call for whose answer a worker is blocked: if that waits for the task, and
 * the task for that worker, neither ends. Only seen before the function's first `await`; later, the call's timeout ends it.
 */
export function deadlockOf(state: State, task: Task, serving: BlockingCall): PoolError | undefined {
  // Steps of streams that are open come to their end: they may close what the worker keeps.
  if (task.isStep) return undefined;
  const key = task.extras?.key;
  const home = task.extras?.worker ?? (key === undefined ? undefined : state.homeOf(key));
  const isStuck = home === undefined ? areAllBlocked(state, serving) : home === serving.worker;
  if (isStuck) {
    const message = 'The host would wait for a task that waits for a worker which waits for the host';
    return new PoolError('PLIMSOLL_POOL_DEADLOCK', message);
  }
  serving.nested.push(task);
  return undefined;
}

/** Does every worker that there may be wait for a function that waits for tasks? */
function areAllBlocked({ blocked, table, options }: State, serving: BlockingCall): boolean {
  let count = 0;
  for (const call of blocked.values()) {
    const waitsForTasks = call === serving || call.nested.some((task) => task.place !== SETTLED);
    if (waitsForTasks && isWaiting(table, call.worker.index, call.number)) count++;
  }
  return count >= options.maxThreads;
}
