import { WorkerError } from '../errors.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import { type Lost, putBack, rejectWaiting } from './dispatch.js';
import { type RetryPolicy, retryOf } from './fault-options.js';
import type { HandlerName } from './handler-names.js';
import type { State } from './state.js';
import { PAUSED, SETTLED, type Task } from './task.js';
import { findHome } from './workers.js';

/** How often tasks have run again. */
const tries = new WeakMap<Task, number>();

const isSame = (one: HandlerName, other: HandlerName): boolean =>
  one.filename === other.filename && one.name === other.name;

/**
 * Tasks have died with their worker: each runs again or is rejected. What they did may have ended the worker, unless the pool
 * has stopped it: then functions may come into quarantine.
 */
export function bury(
  state: State,
  dead: readonly Lost[],
  isStopped: boolean,
  errorOf: (handler: HandlerName) => WorkerError,
): void {
  const { handlers, guard } = state;
  const nameOf = (task: Task): HandlerName => handlers.of(task.handler);
  // One death for each function, however many of its tasks the worker had.
  const ran = dead.filter(({ hasRun }) => hasRun).map(({ task }) => nameOf(task));
  const distinct = ran.filter((one, index) => ran.findIndex((other) => isSame(one, other)) === index);
  for (const handler of isStopped ? [] : distinct) {
    if (!guard.died(handler, errorOf(handler))) continue;
    const isOfIt = (task: Task): boolean => !task.isStep && isSame(nameOf(task), handler);
    rejectWaiting(state, () => guard.quarantined(handler), isOfIt);
  }
  const policy = retryOf(state.options.retry);
  for (const { task } of dead) lose(state, task, errorOf(nameOf(task)), task.extras?.retry ?? policy);
}

function lose(state: State, task: Task, error: WorkerError, policy: RetryPolicy | undefined): void {
  if (task.place === SETTLED) return;
  const before = tries.get(task) ?? 0;
  const mayRunAgain =
    policy?.codes.includes(error.code) === true &&
    before < policy.max &&
    !task.isBound &&
    task.extras?.verdict === undefined;
  if (!mayRunAgain) state.settle(task, error, true);
  else if (task.hasTransfer) state.settle(task, cannotRunAgain(error), true);
  else {
    tries.set(task, before + 1);
    runAgainAfter(state, task, policy.backoff * 2 ** before);
  }
}

/** It stays the task that it was: it is outstanding, and its signal and timeout end it, as ever. */
function runAgainAfter(state: State, task: Task, backoff: number): void {
  if (task.isPinned) state.setHome(task, undefined);
  if (backoff === 0) {
    runAgain(state, task);
    return;
  }
  const onTime = (): void => {
    state.paused.delete(task);
    runAgain(state, task);
    state.changed(false);
  };
  task.place = PAUSED;
  // Not what keeps the process alive: the task does, as long as it is outstanding.
  state.paused.set(task, timers.setTimeout(onTime, Math.min(backoff, LONGEST_TIMER)).unref());
}

/** Before the tasks that came after it. */
function runAgain(state: State, task: Task): void {
  const refusal = state.guard.quarantined(state.handlers.of(task.handler));
  if (refusal !== undefined) {
    state.settle(task, refusal, true);
    return;
  }
  try {
    findHome(state, task);
    putBack(state, task);
  } catch (error) {
    // A queue of the user's may throw.
    state.settle(task, error, true);
  }
}

function cannotRunAgain(error: WorkerError): WorkerError {
  const message = `'${error.taskName}' cannot run again, because what it was to transfer is gone: ${error.message}`;
  return new WorkerError('PLIMSOLL_POOL_NOT_RETRYABLE', message, error, { cause: error });
}
