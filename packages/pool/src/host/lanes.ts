import { Keys, takesTasks } from './keys.js';
import { Fifo } from './queue.js';
import { type Pin, type Task, WAITING } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

/** Tasks that wait for one worker alone, in their order: those of a key, and parts of a broadcast. */
export class Lanes {
  /** Tasks in all lanes. */
  size = 0;
  readonly #lanes = new Map<WorkerHandle, Fifo>();
  /** Tasks of keys while there is no worker. */
  #homeless = new Fifo();
  readonly #laneOf = new WeakMap<Task, Fifo>();
  readonly #keys: Keys;

  constructor(workers: readonly WorkerHandle[]) {
    this.#keys = new Keys(workers);
  }

  push(task: Task): void {
    this.#put(task, (lane) => lane.push(task));
  }

  /** Puts a task back to the front. */
  unshift(task: Task): void {
    this.#put(task, (lane) => lane.unshift(task));
  }

  #put(task: Task, put: (lane: Fifo) => void): void {
    const lane = this.#find(this.#homeOf(task));
    put(lane);
    task.state = WAITING;
    this.#laneOf.set(task, lane);
    this.size++;
  }

  #find(home: WorkerHandle | undefined): Fifo {
    if (home === undefined) return this.#homeless;
    let lane = this.#lanes.get(home);
    if (lane === undefined) {
      lane = new Fifo();
      this.#lanes.set(home, lane);
    }
    return lane;
  }

  #homeOf(task: Task): WorkerHandle | undefined {
    const { key, worker } = task.pin as Pin;
    return key === undefined ? worker : this.#keys.workerOf(key, (one) => this.#loadOf(one));
  }

  #loadOf(worker: WorkerHandle): number {
    return worker.running + worker.mailCount + (this.#lanes.get(worker)?.size ?? 0);
  }

  /** A task that waits was settled. */
  forget(task: Task): void {
    this.#laneOf.get(task)?.forget(task);
    this.size--;
  }

  /** Gives away what waits for each worker, as long as `place` takes it. It is asked before a task leaves its lane. */
  place(
    mayPlace: (worker: WorkerHandle) => boolean,
    place: (worker: WorkerHandle, task: Task) => boolean,
  ): void {
    this.#rehome();
    for (const [worker, lane] of this.#lanes) {
      while (lane.size > 0 && takesTasks(worker) && mayPlace(worker)) {
        const task = this.#shift(lane);
        if (task === undefined || place(worker, task)) continue;
        this.unshift(task);
        break;
      }
      if (lane.size === 0) this.#lanes.delete(worker);
    }
  }

  /** Tasks of keys go on to another worker when theirs takes no more. */
  #rehome(): void {
    const homeless = this.#shiftAll(this.#homeless);
    for (const [worker, lane] of [...this.#lanes]) {
      if (takesTasks(worker)) continue;
      const waiting = this.#shiftAll(lane);
      homeless.push(...waiting.filter(hasKey));
      for (const task of waiting) if (!hasKey(task)) this.#putInto(lane, task);
    }
    for (const task of homeless) this.push(task);
  }

  #putInto(lane: Fifo, task: Task): void {
    lane.push(task);
    this.size++;
  }

  /** A worker's thread has exited: the parts of broadcasts that it has not begun. */
  abandon(worker: WorkerHandle): Task[] {
    const lane = this.#lanes.get(worker);
    if (lane === undefined) return [];
    const waiting = this.#shiftAll(lane);
    this.#lanes.delete(worker);
    for (const task of waiting) if (hasKey(task)) this.push(task);
    return waiting.filter((task) => !hasKey(task));
  }

  /** Takes out the tasks that `isOne` holds for, so many at most. */
  takeOut(isOne: (task: Task) => boolean, most = Number.POSITIVE_INFINITY): Task[] {
    const taken: Task[] = [];
    for (const lane of [...this.#lanes.values(), this.#homeless]) {
      for (const task of this.#shiftAll(lane)) {
        if (taken.length < most && isOne(task)) taken.push(task);
        else this.#putInto(lane, task);
      }
    }
    return taken;
  }

  #shift(lane: Fifo): Task | undefined {
    const task = lane.shift();
    if (task !== undefined) this.size--;
    return task;
  }

  #shiftAll(lane: Fifo): Task[] {
    const tasks: Task[] = [];
    for (let task = this.#shift(lane); task !== undefined; task = this.#shift(lane)) tasks.push(task);
    return tasks;
  }
}

const hasKey = (task: Task): boolean => task.pin?.key !== undefined;
