import { ask, runnerOf } from '../shared/table.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import type { PoolState } from './state.js';
import { LOOSE, PUBLISHED, type Task } from './task.js';

/** Asks tasks to end, and gives them time for it. */
export class Ladder {
  readonly #state: PoolState;

  constructor(state: PoolState) {
    this.#state = state;
  }

  /**
   * Asks a task that runs to end. False when it has no `grace`, or does not run; then it can be ended at once.
   * @param stop ends it when it has not ended in time
   */
  ask(task: Task, reason: unknown, stop: () => void): boolean {
    const beyond = task.extras?.beyond;
    if (beyond === undefined || beyond.grace === 0 || task.state !== PUBLISHED) return false;
    if (beyond.verdict !== undefined) return true;
    if (this.#state.slots.retract(task)) {
      task.state = LOOSE;
      return false;
    }
    if (!this.#tell(task, reason)) return false;
    beyond.verdict = { reason };
    this.#stopLater(task, beyond.grace, stop);
    return true;
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
