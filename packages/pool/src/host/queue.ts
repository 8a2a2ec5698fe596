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

  /** Before all that were submitted after it: mostly at the front, but there may be one that was put back earlier. */
  unshift(task: Task): void {
    if (this.#count === this.#ring.length) this.#rebuild(this.#count * 2);
    this.#head = this.#at(-1);
    let position = 0;
    for (; position < this.#count; position++) {
      const next = this.#ring[this.#at(position + 1)] as Task;
      if (next.number > task.number) break;
      this.#ring[this.#at(position)] = next;
    }
    this.#ring[this.#at(position)] = task;
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

/** A binary heap by (priority, number). Settled tasks are skipped when their turn comes. */
class Heap {
  /** Tasks that are not settled. */
  size = 0;
  #tasks: Task[] = [];

  get first(): Task | undefined {
    while (this.#tasks[0]?.place === SETTLED) this.#pop();
    return this.#tasks[0];
  }

  push(task: Task): void {
    const tasks = this.#tasks;
    let index = tasks.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = tasks[above] as Task;
      if (!isBefore(task, parent)) break;
      tasks[index] = parent;
      index = above;
    }
    tasks[index] = task;
    this.size++;
  }

  /** Takes `first` out. */
  shift(): void {
    this.#pop();
    this.size--;
  }

  /** As that of `Deque`; a sorted list is a heap. */
  forget(): void {
    this.size--;
    if (this.#tasks.length <= 64 || this.size >= this.#tasks.length / 2) return;
    const waiting = this.#tasks.filter(({ place }) => place !== SETTLED);
    this.#tasks = waiting.sort((one, other) => (isBefore(one, other) ? -1 : 1));
  }

  #pop(): void {
    const tasks = this.#tasks;
    const last = tasks.pop() as Task;
    let index = 0;
    for (let below = 1; below < tasks.length; below = 2 * index + 1) {
      if (below + 1 < tasks.length && isBefore(tasks[below + 1] as Task, tasks[below] as Task)) below++;
      const child = tasks[below] as Task;
      if (!isBefore(child, last)) break;
      tasks[index] = child;
      index = below;
    }
    if (tasks.length > 0) tasks[index] = last;
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
    (task.priority === 0 ? this.#plain : this.#ranked).push(task);
  }

  putBack(task: Task): void {
    if (task.priority === 0) this.#plain.unshift(task);
    else this.#ranked.push(task);
  }

  shift(): Task | undefined {
    const { first } = this.#ranked;
    if (first === undefined || (first.priority < 0 && this.#plain.size > 0)) return this.#plain.shift();
    this.#ranked.shift();
    return first;
  }

  forget(task: Task): void {
    (task.priority === 0 ? this.#plain : this.#ranked).forget();
  }
}

export function takeAll(queue: { shift(): Task | undefined }): Task[] {
  const tasks: Task[] = [];
  for (let task = queue.shift(); task !== undefined; task = queue.shift()) tasks.push(task);
  return tasks;
}
