import { now } from '../shared/clock.js';
import type { Admission } from './admission.js';
import type { Ladder } from './ladder.js';
import { Mail } from './mail.js';
import type { PoolState } from './state.js';
import { type Extras, SETTLED, Task, type Watch } from './task.js';
import type { Timing } from './timing.js';
import type { WorkerHandle } from './worker-handle.js';

/** What the core does with tasks. */
export interface TaskEvents {
  /** @throws at the end of the stack */
  submit(task: Task): void;
  /** Something changed that may need a look. */
  onChange(): void;
}

/** Tasks one by one, without a promise for each: for what is built on the core. */
export class Tasks {
  readonly #state: PoolState;
  readonly #admission: Admission;
  readonly #ladder: Ladder;
  readonly #mail: Mail;
  readonly #timing: Timing | undefined;
  readonly #events: TaskEvents;

  constructor(
    state: PoolState,
    admission: Admission,
    ladder: Ladder,
    timing: Timing | undefined,
    events: TaskEvents,
  ) {
    this.#state = state;
    this.#admission = admission;
    this.#ladder = ladder;
    this.#mail = new Mail(state);
    this.#timing = timing;
    this.#events = events;
  }

  /**
   * As `Core.run`: `resolve` gets the result, or a `Rejection`.
   * @throws why the task is refused
   */
  start(
    value: unknown,
    handler: number,
    extras: Extras | undefined,
    resolve: (value: unknown) => void,
    watch?: Watch,
  ): Task {
    const refusal = this.#admission.refusal(handler, extras?.abortable === true ? 1 : 0);
    if (refusal !== undefined) throw refusal;
    const task = new Task(value, handler, now(), resolve, extras);
    if (extras !== undefined && watch !== undefined) {
      extras.release = watch((reason) => this.end(task, reason), this.#state.handlers.of(handler).name);
    }
    try {
      this.#events.submit(task);
    } catch (error) {
      task.reject(error);
    }
    return task;
  }

  /** Is there room in the mailbox of a worker? */
  hasRoomFor(worker: WorkerHandle): boolean {
    return this.#mail.hasRoomFor(worker);
  }

  /** Runs a task in one worker, in whose mailbox there is room. */
  post(
    worker: WorkerHandle,
    value: unknown,
    handler: number,
    extras: Extras,
    resolve: (value: unknown) => void,
  ): Task {
    const task = new Task(value, handler, now(), resolve, extras);
    this.#mail.send(worker, task);
    this.#events.onChange();
    return task;
  }

  /** Ends a task from outside: aborted or timed out. One that runs is asked to end first, if it has a `grace`. */
  end(task: Task, reason: unknown): void {
    if (task.state === SETTLED) return;
    this.#timing?.atTime(now());
    this.#ladder.end(task, reason);
  }

  /** Asks a task that runs to end; it must have been called with a context. After `grace` ms its worker is stopped. */
  ask(task: Task, reason: unknown, grace: number): void {
    this.#ladder.ask(task, reason, grace);
  }

  /** Rejects a task unless a worker has claimed it. False when one has. */
  withdraw(task: Task, reason: unknown): boolean {
    const isWithdrawn = this.#ladder.withdraw(task, reason);
    if (isWithdrawn) this.#events.onChange();
    return isWithdrawn;
  }
}
