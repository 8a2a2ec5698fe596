import type { HistogramSummary } from '../shared/histogram.js';
import type { PoolTask } from './task-queue.js';

/** What a load balancer sees of a worker: one object for each, whose values are always the current ones. */
export interface PoolWorker {
  /** The thread id. */
  readonly id: number;
  /** How many tasks it runs or has been given. */
  readonly currentUsage: number;
  readonly isRunningAbortableTask: boolean;
  /** Run times in milliseconds, with the option `workerHistogram`; otherwise null. */
  readonly histogram: HistogramSummary | null;
  /** It is being stopped. */
  readonly terminating: boolean;
  /** Its thread has exited. */
  readonly destroyed: boolean;
}

/** Chooses the worker of a task; null: none for now, so the task waits (and a worker is started if there may be more). */
export type LoadBalancer = (task: PoolTask, workers: PoolWorker[]) => PoolWorker | null;
