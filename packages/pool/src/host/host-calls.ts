import { AsyncLocalStorage } from 'node:async_hooks';
import { PoolError } from '../errors.js';
import { type HostRequest, isThenable } from '../shared/calls.js';
import { sendThrown } from '../shared/error-record.js';
import { answered, hear, heard, isWaiting, mayAnswer, tooLate } from '../shared/host-call.js';
import { FLAGS } from '../shared/layout.js';
import { FAILED, type TransferList } from '../shared/messages.js';
import { unwrap } from '../shared/move.js';
import { runnerOf, slotAt } from '../shared/table.js';
import { uncloneable, unreadable } from '../shared/uncloneable.js';
import type { HostFunctions } from './options.js';
import type { BlockingCall, State } from './state.js';
import { type CallingTask, IN_TABLE, SETTLED, type Task } from './task.js';
import { STOPPING, takesTasks, type WorkerHandle } from './worker-handle.js';

// Host calls: posted, or written into the table by a worker that blocks until the answer.

type Answer = BlockingCall['answer'];

const settled = Promise.resolve();

/** The blocking call whose host function runs. Created on first use: on Node 20 and 22 it slows every promise. */
let serving: AsyncLocalStorage<BlockingCall> | undefined;
/** A call drops its settled tasks each time it has noted this many. */
const MANY = 1000;

/** Reads a blocking call, unless the worker has given it up. */
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
      send(value, isFailed, (sentValue, transfer, failed) =>
        slots.answer(worker, slot, sentValue, transfer, failed ? FAILED : 0),
      );
    } finally {
      answered(table, worker.index, number);
    }
  };
  const isOpen = (): boolean => blocked.get(worker) === blocking && isWaiting(table, worker.index, number);
  const blocking: BlockingCall = { worker, slot, answer, isOpen, nested: new Map(), outer: undefined };
  blocked.set(worker, blocking);
  const base = slotAt(table.layout, slot);
  const request = requestOf(answer, () => {
    try {
      return slots.read(worker, slot, base, table.words[base + FLAGS] as number);
    } finally {
      heard(table, worker.index, number);
    }
  });
  if (request !== undefined) serve(state, slots.tasks[slot] as Task, request, answer, blocking);
}

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
    send(value, isFailed, (sentValue, transfer, failed) => {
      const number = worker.nextMessage;
      worker.post(['payload', ~call, 0, { value: sentValue }], transfer);
      worker.post(['answer', call, failed, number]);
    });
  };
  const request = requestOf(answer, () => worker.payload(~call, 0).value);
  if (request === undefined) return;
  const task = slots.tasks[slot];
  if (task === undefined || task.place === SETTLED || slots.sequenceOf(slot) !== sequence)
    answer(tooLate(request[0]), true);
  else serve(state, task, request, answer);
}

function requestOf(answer: Answer, read: () => unknown): HostRequest | undefined {
  try {
    return read() as HostRequest;
  } catch (reason) {
    answer(unreadable('arguments', reason), true);
    return undefined;
  }
}

/** Sends an answer. If it cannot be sent, the call fails with the reason. */
function send(
  value: unknown,
  isFailed: boolean,
  to: (sentValue: unknown, transfer: TransferList, isFailed: boolean) => void,
): void {
  const fail = (error: unknown): void => sendThrown(error, (thrown) => to(thrown, [], true));
  try {
    const moved = unwrap(value);
    if (isFailed) fail(value);
    else to(moved.value, moved.transfer, false);
  } catch (cause) {
    fail(uncloneable('answer', value, cause));
  }
}

/** Calls a host function in the async context where the task was submitted; later, not in the middle of the pool's work. */
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
  const call = async (): Promise<void> => {
    if (state.ended) return;
    try {
      if (called === undefined) throw missing(name, functions);
      const result = called(...items);
      answer(isThenable(result) ? await result : result, false);
    } catch (error) {
      answer(error, true);
    }
  };
  const begin = (): void => {
    if (blocking === undefined) void call();
    else during(blocking, call);
  };
  const { origin } = task as Partial<CallingTask>;
  void settled.then(() => (origin === undefined ? begin() : origin.runInAsyncScope(begin)));
}

function during(blocking: BlockingCall, call: () => Promise<void>): void {
  serving ??= new AsyncLocalStorage();
  let outer = serving.getStore();
  // Skips calls that are over: an endless chain of calls would keep all of them.
  while (outer !== undefined && !outer.isOpen()) outer = outer.outer;
  blocking.outer = outer;
  void serving.run(blocking, call);
}

type HostFunction = (...items: unknown[]) => unknown;

function missing(name: string, functions: readonly (HostFunctions | undefined)[]): PoolError {
  const names = new Set(functions.flatMap((some) => Object.keys(some ?? {})));
  const only = names.size === 0 ? 'none' : [...names].map((text) => `'${text}'`).join(', ');
  const message = `The host has no function '${name}' for this task; it has: ${only}`;
  return new PoolError('PLIMSOLL_POOL_NO_HOST_FUNCTION', message);
}

/** The task in a slot was asked to end, so the call that blocks its worker fails with the reason. */
export function interrupt(state: State, worker: WorkerHandle, slot: number, reason: unknown): void {
  const call = state.blocked.get(worker);
  if (call?.slot === slot) call.answer(reason, true);
}

/**
 * A host function that blocks a worker may submit a task and wait for it. If the task needs this worker, neither can
 * end, so it is refused. @throws PoolError PLIMSOLL_POOL_DEADLOCK
 */
export function checkDeadlock(pool: State, task: Task): void {
  let call = serving?.getStore();
  while (call?.isOpen() === false) call = call.outer;
  // Steps of open streams are let through: they may close what the worker keeps.
  if (call === undefined || task.isStep) return;
  let nested = call.nested.get(pool) ?? [];
  if (nested.length % MANY === 0) nested = nested.filter(({ place }) => place !== SETTLED);
  call.nested.set(pool, nested);
  nested.push(task);
  if (!isStuck(pool, task, hopelessFor(pool, task))) return;
  nested.pop();
  const message = 'The host would wait for a task that waits for a worker which waits for the host';
  throw new PoolError('PLIMSOLL_POOL_DEADLOCK', message);
}

/** Blocked workers that wait for tasks which only such workers can run, as far as they may block this task. */
function hopelessFor(pool: State, task: Task): ReadonlySet<WorkerHandle> {
  const calls: BlockingCall[] = [];
  // The set grows in the loop: host functions may wait for tasks of further pools.
  const pools = new Set([pool]);
  for (const { blocked } of pools) {
    for (const call of blocked.values()) {
      if (call.worker.state >= STOPPING || !call.isOpen()) continue;
      calls.push(call);
      for (const further of call.nested.keys()) pools.add(further);
    }
  }
  const hopeless = new Set(calls.map(({ worker }) => worker));
  for (let before = -1; before !== hopeless.size && isStuck(pool, task, hopeless); ) {
    before = hopeless.size;
    for (const { worker, nested } of calls) if (!waitsForStuck(nested, hopeless)) hopeless.delete(worker);
  }
  return hopeless;
}

function waitsForStuck(nested: BlockingCall['nested'], hopeless: ReadonlySet<WorkerHandle>): boolean {
  for (const [pool, tasks] of nested) if (tasks.some((task) => isStuck(pool, task, hopeless))) return true;
  return false;
}

function isStuck(pool: State, task: Task, hopeless: ReadonlySet<WorkerHandle>): boolean {
  if (task.place === SETTLED || hopeless.size === 0) return false;
  const { key, worker } = task.extras ?? {};
  const home = worker ?? (key === undefined ? undefined : pool.homeOf(key));
  const runner = task.place === IN_TABLE ? pool.workerAt(runnerOf(pool.table, task.slot)) : undefined;
  const only = runner ?? home;
  if (only !== undefined) return hopeless.has(only);
  const lost = pool.workers.filter((handle) => takesTasks(handle) && hopeless.has(handle));
  return lost.length >= pool.options.maxThreads;
}
