/** The key under which a task's own options for a custom queue stand on its value. The same symbol as Piscina's. */
export const queueOptionsSymbol: unique symbol = Symbol.for('Piscina.queueOptions') as never;

/** What a custom queue or a load balancer sees of a task. */
export interface PoolTask {
  /** What the task's value has under `queueOptionsSymbol`, or null. */
  readonly [queueOptionsSymbol]: object | null;
  readonly taskId: number;
  /** The value that `run()` was given. */
  readonly task: unknown;
  readonly filename: string;
  readonly name: string;
  /** When `run()` was called, by `performance.now()`. */
  readonly created: number;
  /** It has a signal or a timeout, so it may be killed while it runs. */
  readonly isAbortable: boolean;
}

/** A queue of one's own: decides in which order waiting tasks run. */
export interface TaskQueue {
  readonly size: number;
  push(task: PoolTask): void;
  shift(): PoolTask | null;
  remove(task: PoolTask): void;
  unshift?(task: PoolTask): void;
}

/** A queue in one array, for the sake of Piscina's name. */
export class ArrayTaskQueue implements TaskQueue {
  readonly tasks: PoolTask[] = [];

  get size(): number {
    return this.tasks.length;
  }

  push(task: PoolTask): void {
    this.tasks.push(task);
  }

  unshift(task: PoolTask): void {
    this.tasks.unshift(task);
  }

  shift(): PoolTask | null {
    return this.tasks.shift() ?? null;
  }

  remove(task: PoolTask): void {
    const index = this.tasks.indexOf(task);
    if (index !== -1) this.tasks.splice(index, 1);
  }
}

/** A queue whose operations take the same time however long it is, except `remove`. */
export class FixedQueue implements TaskQueue {
  #ring: (PoolTask | null)[] = new Array(16).fill(null);
  #head = 0;
  #count = 0;

  get size(): number {
    return this.#count;
  }

  isEmpty(): boolean {
    return this.#count === 0;
  }

  push(task: PoolTask): void {
    this.#makeRoom();
    this.#ring[(this.#head + this.#count++) & (this.#ring.length - 1)] = task;
  }

  unshift(task: PoolTask): void {
    this.#makeRoom();
    this.#head = (this.#head - 1) & (this.#ring.length - 1);
    this.#ring[this.#head] = task;
    this.#count++;
  }

  shift(): PoolTask | null {
    if (this.#count === 0) return null;
    const task = this.#ring[this.#head] ?? null;
    this.#ring[this.#head] = null;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#count--;
    return task;
  }

  remove(task: PoolTask): void {
    const mask = this.#ring.length - 1;
    let found = 0;
    while (found < this.#count && this.#ring[(this.#head + found) & mask] !== task) found++;
    if (found === this.#count) return;
    for (let index = found; index < this.#count - 1; index++) {
      this.#ring[(this.#head + index) & mask] = this.#ring[(this.#head + index + 1) & mask] ?? null;
    }
    this.#count--;
    this.#ring[(this.#head + this.#count) & mask] = null;
  }

  #makeRoom(): void {
    if (this.#count < this.#ring.length) return;
    const larger = new Array<PoolTask | null>(this.#count * 2).fill(null);
    for (let index = 0; index < this.#count; index++) {
      larger[index] = this.#ring[(this.#head + index) & (this.#ring.length - 1)] ?? null;
    }
    this.#ring = larger;
    this.#head = 0;
  }
}
