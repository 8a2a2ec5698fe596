import { ask, runnerOf } from '../shared/table.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import type { Crew } from './crew.js';
import type { Dispatch } from './dispatch.js';
import type { PoolState } from './state.js';
import { LOOSE, PUBLISHED, type Task } from './task.js';

/** Ends tasks before their time, as gently as they allow. */
export class Ladder {
  readonly #state: PoolState;
  readonly #crew: Crew;
  readonly #dispatch: Dispatch;
  readonly #onStop: () => void;

  /** @param onStop a task was ended at once; its worker may have been, too. */
  constructor(state: PoolState, crew: Crew, dispatch: Dispatch, onStop: () => void) {
    this.#state = state;
    this.#crew = crew;
    this.#dispatch = dispatch;
    this.#onStop = onStop;
  }

  /** Ends a task: one that runs is asked to, if it has a `grace`. */
  end(task: Task, reason: unknown): void {
    const { grace = 0 } = task.extras?.beyond ?? {};
    if (grace === 0 || !this.ask(task, reason, grace)) this.#stop(task, reason);
  }

  /** Ends a task at once. A worker that runs it is killed and replaced. */
  #stop(task: Task, reason: unknown): void {
    const runsOn = this.#dispatch.cancel(task, reason);
    if (runsOn !== -1) this.#crew.killByIndex(runsOn);
    this.#onStop();
  }

  /** Rejects a task unless a worker has claimed it. False when one has. */
  withdraw(task: Task, reason: unknown): boolean {
    if (task.state === PUBLISHED && !this.#retract(task)) return false;
    this.#dispatch.cancel(task, reason);
    return true;
  }

  /**
   * Asks a task that runs to end, and stops it when it has not after so many milliseconds. False when it does not run. It must
   * have been called with a context.
   */
  ask(task: Task, reason: unknown, grace: number): boolean {
    const beyond = task.extras?.beyond;
    if (beyond === undefined || task.state !== PUBLISHED) return false;
    if (beyond.verdict !== undefined) return true;
    if (this.#retract(task) || !this.#tell(task, reason)) return false;
    beyond.verdict = { reason };
    this.#stopLater(task, grace, () => this.#stop(task, reason));
    return true;
  }

  #retract(task: Task): boolean {
    const isRetracted = this.#state.slots.retract(task);
    if (isRetracted) task.state = LOOSE;
    return isRetracted;
  }

  /** The reason first: who sees that it is asked reads the port for it. */
  #tell({ slot }: Task, reason: unknown): boolean {
    const { table, workers, inputs } = this.#state;
    const index = runnerOf(table, slot);
    const worker = workers.find((candidate) => candidate.index === index);
    if (worker === undefined) return false;
    inputs.abort(worker, slot, reason);
    return ask(table, slot);
  }

  #stopLater({ extras }: Task, grace: number, stop: () => void): void {
    if (extras === undefined || grace > LONGEST_TIMER) return;
    const timer = timers.setTimeout(stop, grace);
    const { release } = extras;
    extras.release = () => {
      timers.clearTimeout(timer);
      release?.();
    };
  }
}
