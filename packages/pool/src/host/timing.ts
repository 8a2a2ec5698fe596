import { now } from '../shared/clock.js';
import { Histogram } from './histogram.js';
import { type Flow, Pressure } from './pressure.js';
import type { Task } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

/** What a pool with `recordTiming` knows of the times of its tasks. Milliseconds, by the clock that all threads share. */
export class Timing {
  readonly runTimes = new Histogram();
  readonly waitTimes = new Histogram();
  /** That workers have spent in tasks; no reset touches it. */
  totalRunTime = 0;
  private readonly pressures: Pressure;

  constructor(flow: Flow) {
    this.pressures = new Pressure(flow, now());
  }

  /** To be called before a task is counted as come or gone. */
  before(time: number): void {
    this.pressures.before(time);
  }

  /** A task has ended, and is not counted as gone yet. */
  ended(task: Task, worker: WorkerHandle, start: number, end: number): void {
    this.before(end);
    this.totalRunTime += end - start;
    this.runTimes.record(end - start);
    this.waitTimes.record(start - task.created);
    worker.histogram?.record(end - start);
  }

  /** Tasks in ÷ tasks out over the last seconds. */
  get pressure(): number {
    return this.pressures.at(now());
  }
}
