import { SETTLED, Task } from './task.js';

/** Tasks that are not in the table: all of them, in the order in which they are due. */
export interface Pending {
  readonly size: number;
  push(task: Task): void;
  /** Puts a task back to the front. */
  unshift(task: Task): void;
  /** The next task that still waits. */
  shift(): Task | undefined;
  /** A task in the queue was settled. It may stay inside until its turn, but counts no more. */
  forget(task: Task): void;
}

const FIRST_CAPACITY = 16;

/**
 * First in, first out, in a ring that doubles. Settled tasks are skipped when their turn comes.
 *
 * Only tasks that can be settled while they wait stay objects here. Of all others there is one row in each column, from
 * which `shift()` makes them again: a third of the memory, and less for the collector to copy.
 */
export class Fifo implements Pending {
  size = 0;
  #values!: unknown[];
  /** undefined: the value is the `Task` itself. */
  #resolves!: (Task['resolve'] | undefined)[];
  #handlers!: Int32Array;
  #created!: Float64Array;
  #head = 0;
  #count = 0;

  constructor() {
    this.#empty(FIRST_CAPACITY);
  }

  push(task: Task): void {
    this.#makeRoom();
    this.#put(this.#at(this.#count), task);
    this.#count++;
    this.size++;
  }

  unshift(task: Task): void {
    this.#makeRoom();
    this.#head = this.#at(-1);
    this.#put(this.#head, task);
    this.#count++;
    this.size++;
  }

  shift(): Task | undefined {
    while (this.#count > 0) {
      const task = this.#take(this.#head);
      this.#head = this.#at(1);
      this.#count--;
      if (task.state !== SETTLED) {
        this.size--;
        return task;
      }
    }
    if (this.#values.length > 4096) this.#empty(FIRST_CAPACITY);
    return undefined;
  }

  forget(_task: Task): void {
    this.size--;
    // Mostly settled tasks: make room, so that abort storms leave no memory behind.
    if (this.#count > 64 && this.size < this.#count / 2) this.#rebuild(FIRST_CAPACITY);
  }

  #at(position: number): number {
    return (this.#head + position) & (this.#values.length - 1);
  }

  #put(row: number, task: Task): void {
    const dissolves = task.extras === undefined;
    this.#values[row] = dissolves ? task.value : task;
    this.#resolves[row] = dissolves ? task.resolve : undefined;
    this.#handlers[row] = task.handler;
    this.#created[row] = task.created;
  }

  #take(row: number): Task {
    const value = this.#values[row];
    const resolve = this.#resolves[row];
    this.#values[row] = undefined;
    this.#resolves[row] = undefined;
    if (resolve === undefined) return value as Task;
    return new Task(value, this.#handlers[row] as number, this.#created[row] as number, resolve, undefined);
  }

  #makeRoom(): void {
    if (this.#count === this.#values.length) this.#rebuild(this.#count * 2);
  }

  /** Takes over what still waits, into so many rows or as many doublings of them as it needs. */
  #rebuild(capacity: number): void {
    const { size } = this;
    const values = this.#values;
    const resolves = this.#resolves;
    const handlers = this.#handlers;
    const created = this.#created;
    const head = this.#head;
    const count = this.#count;
    let rows = capacity;
    while (rows < size) rows *= 2;
    this.#empty(rows);
    for (let position = 0; position < count; position++) {
      const row = (head + position) & (values.length - 1);
      if (resolves[row] === undefined && (values[row] as Task).state === SETTLED) continue;
      this.#values[this.#count] = values[row];
      this.#resolves[this.#count] = resolves[row];
      this.#handlers[this.#count] = handlers[row] as number;
      this.#created[this.#count++] = created[row] as number;
    }
    this.size = this.#count;
  }

  #empty(rows: number): void {
    this.#values = new Array(rows).fill(undefined);
    this.#resolves = new Array(rows).fill(undefined);
    this.#handlers = new Int32Array(rows);
    this.#created = new Float64Array(rows);
    this.#head = 0;
    this.#count = 0;
    this.size = 0;
  }
}

/** Higher priorities first, first in first out within each. */
export class ByPriority implements Pending {
  readonly #levels = new Map<number, Fifo>();
  #order: number[] = [];

  get size(): number {
    let size = 0;
    for (const level of this.#levels.values()) size += level.size;
    return size;
  }

  /** The tasks without a priority, if there are no others. */
  get plain(): Fifo | undefined {
    let plain = new Fifo();
    for (const [priority, level] of this.#levels) {
      if (priority === 0) plain = level;
      else if (level.size > 0) return undefined;
    }
    return plain;
  }

  push(task: Task): void {
    this.#level(task).push(task);
  }

  unshift(task: Task): void {
    this.#level(task).unshift(task);
  }

  shift(): Task | undefined {
    for (const priority of this.#order) {
      const task = this.#levels.get(priority)?.shift();
      if (task !== undefined) return task;
    }
    return undefined;
  }

  forget(task: Task): void {
    this.#level(task).forget(task);
  }

  #level(task: Task): Fifo {
    const priority = task.extras?.priority ?? 0;
    let level = this.#levels.get(priority);
    if (level === undefined) {
      this.#removeEmptyLevels();
      level = new Fifo();
      this.#levels.set(priority, level);
      this.#order = [...this.#levels.keys()].sort((one, other) => other - one);
    }
    return level;
  }

  #removeEmptyLevels(): void {
    if (this.#levels.size < 64) return;
    for (const [priority, level] of this.#levels) if (level.size === 0) this.#levels.delete(priority);
  }
}
