import { publishTo } from '../shared/table.js';
import type { PoolState } from './state.js';
import { PUBLISHED, type Task } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

/** Tasks that no worker but one can run. */
export class Mail {
  readonly #state: PoolState;

  constructor(state: PoolState) {
    this.#state = state;
  }

  hasRoomFor(worker: WorkerHandle): boolean {
    return this.#state.slots.isAnyFree && worker.hasMailRoom;
  }

  /** Puts a task into the mailbox of a worker, in which there is room. */
  send(worker: WorkerHandle, task: Task): void {
    const { table, slots, inputs, ledger } = this.#state;
    ledger.outstanding++;
    ledger.bound++;
    const slot = slots.take(task);
    try {
      inputs.write(task, slot);
    } catch (error) {
      slots.giveBack(slot);
      ledger.settle(task, error, true);
      return;
    }
    task.state = PUBLISHED;
    publishTo(table, worker.index, slot);
    worker.hasAbortableMail = task.abortable;
    worker.wake();
  }
}
