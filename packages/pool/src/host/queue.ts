import { SETTLED, type Task } from './task.js';

/** Tasks that wait for whichever worker is free, in the order in which they are due. */
export interface Pending {
  readonly size: number;
  push(task: Task): void;
  /** Puts a task back before all that were submitted after it. */
  putBack(task: Task): void;
  shift(): Task | undefined;
  forget(task: Task): void;
}

const FIRST_CAPACITY = 16;

/** First in, first out, in a ring that doubles. Settled tasks are skipped when their turn comes. */
export class Deque {
  /** Tasks that are not settled. */
  size = 0;
  #ring: (Task | undefined)[] = new Array(FIRST_CAPACITY).fill(undefined);
  #head = 0;
  #count = 0;

  push(task: Task): void {
    if (this.#count === this.#ring.length) this.#rebuild(this.#count * 2);
    this.#ring[this.#at(this.#count)] = task;
    this.#count++;
    this.size++;
  }

  unshift(task: Task): void {
    if (this.#count === this.#ring.length) this.#rebuild(this.#count * 2);
    this.#head = this.#at(-1);
    this.#ring[this.#head] = task;
    this.#count++;
    this.size++;
  }

  shift(): Task | undefined {
    while (this.#count > 0) {
      const task = this.#ring[this.#head] as Task;
      this.#ring[this.#head] = undefined;
      this.#head = this.#at(1);
      this.#count--;
      if (task.place === SETTLED) continue;
      this.size--;
      return task;
    }
    if (this.#ring.length > 4096) this.#ring = new Array(FIRST_CAPACITY).fill(undefined);
    return undefined;
  }

  /** A task in it is about to be settled. When most are, it makes room, so that abort storms leave no memory behind. */
  forget(): void {
    this.size--;
    if (this.#count > 64 && this.size < this.#count / 2) this.#rebuild(FIRST_CAPACITY);
  }

  #at(position: number): number {
    return (this.#head + position) & (this.#ring.length - 1);
  }

  #rebuild(capacity: number): void {
    let length = capacity;
    // One that is being forgotten may still be among them.
    while (length <= this.size) length *= 2;
    const ring = new Array<Task | undefined>(length).fill(undefined);
    let count = 0;
    for (let position = 0; position < this.#count; position++) {
      const task = this.#ring[this.#at(position)] as Task;
      if (task.place !== SETTLED) ring[count++] = task;
    }
    this.#ring = ring;
    this.#head = 0;
    this.#count = count;
  }
}

const isBefore = (one: Task, other: Task): boolean =>
  one.priority > other.priority || (one.priority === other.priority && one.number < other.number);

/** A binary heap by (priority, number). Each task knows its index, so that one in the middle can be taken out. */
export class Heap {
  readonly #tasks: Task[] = [];

  get size(): number {
    return this.#tasks.length;
  }

  get first(): Task | undefined {
    return this.#tasks[0];
  }

  push(task: Task): void {
    this.#tasks.push(task);
    this.#rise(task, this.#tasks.length - 1);
  }

  remove(task: Task): void {
    const { slot } = task;
    const last = this.#tasks.pop() as Task;
    task.slot = -1;
    if (last === task) return;
    this.#rise(last, slot);
    this.#sink(last, last.slot);
  }

  #put(task: Task, index: number): void {
    this.#tasks[index] = task;
    task.slot = index;
  }

  #rise(task: Task, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.#tasks[above] as Task;
      if (!isBefore(task, parent)) break;
      this.#put(parent, index);
      index = above;
    }
    this.#put(task, index);
  }

  #sink(task: Task, from: number): void {
    const tasks = this.#tasks;
    let index = from;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= tasks.length) break;
      if (below + 1 < tasks.length && isBefore(tasks[below + 1] as Task, tasks[below] as Task)) below++;
      const child = tasks[below] as Task;
      if (!isBefore(child, task)) break;
      this.#put(child, index);
      index = below;
    }
    this.#put(task, index);
  }
}

/** By (priority, number). Those without a priority, nearly all, come in the order of their numbers: in a deque. */
export class Queue implements Pending {
  readonly #plain = new Deque();
  readonly #ranked = new Heap();

  get size(): number {
    return this.#plain.size + this.#ranked.size;
  }

  get isRanked(): boolean {
    return this.#ranked.size > 0;
  }

  push(task: Task): void {
    if (task.priority === 0) this.#plain.push(task);
    else this.#ranked.push(task);
  }

  putBack(task: Task): void {
    if (task.priority === 0) this.#plain.unshift(task);
    else this.#ranked.push(task);
  }

  shift(): Task | undefined {
    const { first } = this.#ranked;
    if (first === undefined || (first.priority < 0 && this.#plain.size > 0)) return this.#plain.shift();
    this.#ranked.remove(first);
    return first;
  }

  forget(task: Task): void {
    if (task.priority === 0) this.#plain.forget();
    else this.#ranked.remove(task);
  }
}

export function takeAll(queue: { shift(): Task | undefined }): Task[] {
  const tasks: Task[] = [];
  for (let task = queue.shift(); task !== undefined; task = queue.shift()) tasks.push(task);
  return tasks;
}
