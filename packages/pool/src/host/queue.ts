import { SETTLED, type Task } from './task.js';

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

/** First in, first out, in a ring that doubles. Settled tasks are skipped when their turn comes. */
export class Fifo implements Pending {
  size = 0;
  private ring: (Task | undefined)[] = new Array(FIRST_CAPACITY).fill(undefined);
  private head = 0;
  private count = 0;

  push(task: Task): void {
    if (this.count === this.ring.length) this.resize(this.count * 2);
    this.ring[(this.head + this.count) & (this.ring.length - 1)] = task;
    this.count++;
    this.size++;
  }

  unshift(task: Task): void {
    if (this.count === this.ring.length) this.resize(this.count * 2);
    this.head = (this.head - 1) & (this.ring.length - 1);
    this.ring[this.head] = task;
    this.count++;
    this.size++;
  }

  shift(): Task | undefined {
    while (this.count > 0) {
      const task = this.ring[this.head] as Task;
      this.ring[this.head] = undefined;
      this.head = (this.head + 1) & (this.ring.length - 1);
      this.count--;
      if (task.state !== SETTLED) {
        this.size--;
        return task;
      }
    }
    if (this.ring.length > 4096) this.resize(FIRST_CAPACITY);
    return undefined;
  }

  forget(_task: Task): void {
    this.size--;
    // Mostly settled tasks: make room, so that abort storms leave no memory behind.
    if (this.count > 64 && this.size < this.count / 2) this.compact();
  }

  private compact(): void {
    const kept: Task[] = [];
    for (let index = 0; index < this.count; index++) {
      const task = this.ring[(this.head + index) & (this.ring.length - 1)] as Task;
      if (task.state !== SETTLED) kept.push(task);
    }
    let capacity = FIRST_CAPACITY;
    while (capacity < kept.length) capacity *= 2;
    this.ring = [...kept, ...new Array(capacity - kept.length).fill(undefined)];
    this.head = 0;
    this.count = kept.length;
  }

  private resize(capacity: number): void {
    const ring = new Array<Task | undefined>(capacity).fill(undefined);
    for (let index = 0; index < this.count; index++) {
      ring[index] = this.ring[(this.head + index) & (this.ring.length - 1)];
    }
    this.ring = ring;
    this.head = 0;
  }
}

/** Higher priorities first, first in first out within each. */
export class ByPriority implements Pending {
  private readonly levels = new Map<number, Fifo>();
  private order: number[] = [];

  get size(): number {
    let size = 0;
    for (const level of this.levels.values()) size += level.size;
    return size;
  }

  push(task: Task): void {
    this.level(task).push(task);
  }

  unshift(task: Task): void {
    this.level(task).unshift(task);
  }

  shift(): Task | undefined {
    for (const priority of this.order) {
      const task = this.levels.get(priority)?.shift();
      if (task !== undefined) return task;
    }
    return undefined;
  }

  forget(task: Task): void {
    this.level(task).forget(task);
  }

  private level(task: Task): Fifo {
    const priority = task.extras?.priority ?? 0;
    let level = this.levels.get(priority);
    if (level === undefined) {
      this.removeEmptyLevels();
      level = new Fifo();
      this.levels.set(priority, level);
      this.order = [...this.levels.keys()].sort((one, other) => other - one);
    }
    return level;
  }

  private removeEmptyLevels(): void {
    if (this.levels.size < 64) return;
    for (const [priority, level] of this.levels) if (level.size === 0) this.levels.delete(priority);
  }
}
