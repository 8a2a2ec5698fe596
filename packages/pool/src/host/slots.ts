import type { SharedTable } from '../shared/memory.js';
import { condemn, isFree, release, retract } from '../shared/table.js';
import type { Inputs } from './inputs.js';
import { IN_TABLE, SETTLED, type Task } from './task.js';

/** The host's side of the table's slots: which are free, and which task has which. */
export class Slots {
  freeCount: number;
  /** Slots of tasks that are for one worker alone. */
  pinned = 0;
  /** By slot. */
  readonly tasks: (Task | undefined)[];
  /** Slots of ended tasks whose threads have not exited. One in a native call that does not return keeps its slot for good. */
  readonly condemned = new Set<number>();
  readonly free: Int32Array;
  readonly table: SharedTable;
  readonly inputs: Inputs;

  constructor(table: SharedTable, inputs: Inputs) {
    const { slots } = table.layout;
    this.table = table;
    this.inputs = inputs;
    this.free = Int32Array.from({ length: slots }, (_, index) => slots - 1 - index);
    this.freeCount = slots;
    this.tasks = new Array(slots).fill(undefined);
  }

  /** Slots that workers have work with: published, running, or reported but not read. */
  get inUse(): number {
    return this.tasks.length - this.freeCount - this.condemned.size;
  }

  /** Gives a task a free slot. */
  take(task: Task): number {
    const slot = this.free[--this.freeCount] as number;
    task.slot = slot;
    this.tasks[slot] = task;
    if (task.isPinned) this.pinned++;
    return slot;
  }

  giveBack(slot: number): void {
    if (this.condemned.size === 0 || !this.condemned.delete(slot)) this.#unpin(slot);
    this.inputs.release(slot);
    release(this.table, slot);
    this.tasks[slot] = undefined;
    this.free[this.freeCount++] = slot;
  }

  #unpin(slot: number): void {
    if (this.pinned > 0 && this.tasks[slot]?.isPinned === true) this.pinned--;
  }

  /** Takes a published task out of the table. False when a worker has claimed it. */
  retract({ slot }: Task): boolean {
    if (!retract(this.table, slot)) return false;
    this.giveBack(slot);
    return true;
  }

  /**
   * Marks a claimed slot whose task has ended before its time. It stays taken until its worker's thread has exited, because
   * that may still write there. Returns that worker, or -1 when it has reported the task's end.
   */
  condemn(slot: number): number {
    const worker = condemn(this.table, slot);
    if (worker === -1) return -1;
    this.#unpin(slot);
    this.condemned.add(slot);
    return worker;
  }

  /** Gives back the slots of tasks that could not be submitted. */
  collectStrays(): void {
    for (const [slot, task] of this.tasks.entries()) {
      if (task?.place === SETTLED && isFree(this.table, slot)) this.giveBack(slot);
    }
  }

  publishedYoungestFirst(): Task[] {
    const published = this.tasks.filter((task) => task?.place === IN_TABLE) as Task[];
    return published.sort((one, other) => other.number - one.number);
  }
}
