import type { WorkerError } from '../errors.js';
import { retryOf } from './fault-options.js';
import type { Guard } from './guard.js';
import type { HandlerName } from './handler-names.js';
import { Retries } from './retries.js';
import type { PoolState } from './state.js';
import type { Task } from './task.js';

const isSame = (one: HandlerName, other: HandlerName): boolean =>
  one.filename === other.filename && one.name === other.name;

const distinct = (all: readonly HandlerName[]): HandlerName[] =>
  all.filter((one, index) => all.findIndex((other) => isSame(one, other)) === index);

/** A task that died with its worker. */
export interface Lost {
  readonly task: Task;
  /** The worker had begun it. */
  readonly hasRun: boolean;
}

/** What becomes of tasks that have died with their workers, and of others of the same functions. */
export class Losses {
  readonly #state: PoolState;
  readonly #guard: Guard;
  readonly #retries: Retries;
  readonly #onAgain: () => void;

  /** @param onAgain a task waits again */
  constructor(state: PoolState, guard: Guard, onAgain: () => void) {
    this.#state = state;
    this.#guard = guard;
    this.#retries = new Retries(state.ledger, retryOf(state.options.retry), (task) => this.#again(task));
    this.#onAgain = onAgain;
  }

  /** What they have done may have ended their worker, unless the pool has stopped it. */
  bury(dead: readonly Lost[], isStopped: boolean, errorOf: (handler: HandlerName) => WorkerError): void {
    const { handlers, backlog } = this.#state;
    const nameOf = (task: Task): HandlerName => handlers.of(task.handler);
    // One death for each function, however many of its tasks the worker had.
    const ran = dead.filter(({ hasRun }) => hasRun).map(({ task }) => nameOf(task));
    for (const handler of isStopped ? [] : distinct(ran)) {
      if (!this.#guard.died(handler, errorOf(handler))) continue;
      const isOfIt = (task: Task): boolean => !task.isBound && isSame(nameOf(task), handler);
      backlog.rejectThose(isOfIt, this.#guard.quarantined(handler));
    }
    for (const { task } of dead) this.#retries.lost(task, errorOf(nameOf(task)));
  }

  /** Before the tasks that came after it. */
  #again(task: Task): void {
    const { backlog, ledger, handlers } = this.#state;
    const refusal = this.#guard.quarantined(handlers.of(task.handler));
    if (refusal !== undefined) {
      ledger.settle(task, refusal, true);
      return;
    }
    try {
      backlog.putBack(task);
    } catch (error) {
      // A queue of the user's may throw.
      ledger.settle(task, error, true);
    }
    this.#onAgain();
  }

  /** Rejects the tasks that would run again later. */
  reject(reasonFor: () => unknown): void {
    this.#retries.reject(reasonFor);
  }
}
