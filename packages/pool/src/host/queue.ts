import { QUEUED, type Task } from './task.js';

/** Tasks that wait for any worker. Iterates in the order in which they are due. */
export interface Pending extends Iterable<Task> {
  readonly size: number;
  push(task: Task): void;
  /** Puts a task back before all tasks that were submitted after it. */
  putBack(task: Task): void;
  shift(): Task | undefined;
  remove(task: Task): void;
}

/** First in, first out. Tasks hold the links, so any task can leave at once; a task is in at most one list. */
export class List implements Pending {
  size = 0;
  first: Task | undefined;
  #last: Task | undefined;
  /** The task put back last, or its predecessor: the next search starts here, because many tasks come back in order. */
  #cursor: Task | undefined;

  *[Symbol.iterator](): Generator<Task, undefined> {
    for (let task = this.first; task !== undefined; task = task.next) yield task;
  }

  push(task: Task): void {
    this.#insert(task, this.#last, undefined);
  }

  putBack(task: Task): void {
    const before = this.#cursor;
    let next = before !== undefined && before.number < task.number ? before.next : this.first;
    while (next !== undefined && next.number < task.number) next = next.next;
    this.#insert(task, next === undefined ? this.#last : next.previous, next);
    this.#cursor = task;
  }

  shift(): Task | undefined {
    const { first } = this;
    if (first !== undefined) this.remove(first);
    return first;
  }

  remove(task: Task): void {
    const { previous, next } = task;
    if (task === this.#cursor) this.#cursor = previous;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    task.previous = task.next = undefined;
    this.size--;
  }

  takeAll(): Task[] {
    const tasks = [...this];
    for (const task of tasks) this.remove(task);
    return tasks;
  }

  #insert(task: Task, previous: Task | undefined, next: Task | undefined): void {
    task.previous = previous;
    task.next = next;
    if (previous === undefined) this.first = task;
    else previous.next = task;
    if (next === undefined) this.#last = task;
    else next.previous = task;
    this.size++;
  }
}

const isBefore = (a: Task, b: Task): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.number < b.number);
const byQueueOrder = (first: Task, second: Task): number => (isBefore(first, second) ? -1 : 1);

/** A binary heap by priority, then number. Tasks that left are skipped when they reach the top. */
class Heap {
  size = 0;
  #tasks: Task[] = [];

  get waiting(): Task[] {
    return this.#tasks.filter(({ place }) => place === QUEUED);
  }

  get first(): Task | undefined {
    while (this.#tasks.length > 0 && this.#tasks[0]?.place !== QUEUED) this.#pop();
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

  shift(): void {
    this.#pop();
    this.size--;
  }

  /** A task has left. Once most have, rebuilds the heap to free its memory: a sorted array is a heap. */
  forget(): void {
    this.size--;
    if (this.#tasks.length > 64 && this.size < this.#tasks.length / 2)
      this.#tasks = this.waiting.sort(byQueueOrder);
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

/** By priority, then number. Tasks without a priority, nearly all, arrive in order and wait in a list. */
export class Queue implements Pending {
  readonly #plain = new List();
  readonly #ranked = new Heap();

  get size(): number {
    return this.#plain.size + this.#ranked.size;
  }

  get isRanked(): boolean {
    return this.#ranked.size > 0;
  }

  [Symbol.iterator](): Iterator<Task> {
    return [...this.#plain, ...this.#ranked.waiting].sort(byQueueOrder).values();
  }

  push(task: Task): void {
    (task.priority === 0 ? this.#plain : this.#ranked).push(task);
  }

  putBack(task: Task): void {
    if (task.priority === 0) this.#plain.putBack(task);
    else this.#ranked.push(task);
  }

  shift(): Task | undefined {
    const { first } = this.#ranked;
    if (first === undefined || (first.priority < 0 && this.#plain.size > 0)) return this.#plain.shift();
    this.#ranked.shift();
    return first;
  }

  remove(task: Task): void {
    if (task.priority === 0) this.#plain.remove(task);
    else this.#ranked.forget();
  }
}
