import type { Core } from '../host/core.js';

/** A number of the pool, as exporters give it. */
export interface Family {
  /** Of OpenTelemetry. */
  readonly name: string;
  /** Of Prometheus, with the unit. */
  readonly prometheus: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly unit: string;
  /** undefined: not known of this pool. */
  of(core: Core): number | undefined;
}

/** What every pool knows. Counters never go back. */
export const FAMILIES: readonly Family[] = [
  {
    name: 'plimsoll.pool.tasks.submitted',
    prometheus: 'plimsoll_pool_tasks_submitted_total',
    type: 'counter',
    help: 'Tasks that run() has accepted.',
    unit: '{task}',
    of: ({ state }) => state.completed + state.outstanding,
  },
  {
    name: 'plimsoll.pool.tasks.settled',
    prometheus: 'plimsoll_pool_tasks_settled_total',
    type: 'counter',
    help: 'Tasks whose promise was settled.',
    unit: '{task}',
    of: ({ state }) => state.completed,
  },
  {
    name: 'plimsoll.pool.tasks.failed',
    prometheus: 'plimsoll_pool_tasks_failed_total',
    type: 'counter',
    help: 'Tasks whose promise was rejected: they threw, were cancelled, or died with their worker.',
    unit: '{task}',
    of: ({ state }) => state.failed,
  },
  {
    name: 'plimsoll.pool.tasks.refused',
    prometheus: 'plimsoll_pool_tasks_refused_total',
    type: 'counter',
    help: 'Tasks that run() has not accepted: the queue was full, or the pool closed.',
    unit: '{task}',
    of: ({ state }) => state.refused,
  },
  {
    name: 'plimsoll.pool.tasks.outstanding',
    prometheus: 'plimsoll_pool_tasks_outstanding',
    type: 'gauge',
    help: 'Tasks whose promise is not settled.',
    unit: '{task}',
    of: (core) => core.outstanding,
  },
  {
    name: 'plimsoll.pool.queue.length',
    prometheus: 'plimsoll_pool_queue_length',
    type: 'gauge',
    help: 'Tasks that wait because every worker has enough to do.',
    unit: '{task}',
    of: (core) => core.queueSize,
  },
  {
    name: 'plimsoll.pool.workers',
    prometheus: 'plimsoll_pool_workers',
    type: 'gauge',
    help: 'Worker threads, those that still start included.',
    unit: '{thread}',
    of: (core) => core.workers.length,
  },
  {
    name: 'plimsoll.pool.workers.idle',
    prometheus: 'plimsoll_pool_workers_idle',
    type: 'gauge',
    help: 'Worker threads that are ready and free.',
    unit: '{thread}',
    of: (core) => core.idleThreads,
  },
  {
    name: 'plimsoll.pool.workers.max',
    prometheus: 'plimsoll_pool_workers_max',
    type: 'gauge',
    help: 'Worker threads at most.',
    unit: '{thread}',
    of: (core) => core.options.maxThreads,
  },
  {
    name: 'plimsoll.pool.workers.started',
    prometheus: 'plimsoll_pool_workers_started_total',
    type: 'counter',
    help: 'Worker threads that were started.',
    unit: '{thread}',
    of: ({ state }) => state.made,
  },
  {
    name: 'plimsoll.pool.workers.exited',
    prometheus: 'plimsoll_pool_workers_exited_total',
    type: 'counter',
    help: 'Worker threads that have ended, whatever for.',
    unit: '{thread}',
    of: ({ state }) => state.exited,
  },
];

/** Of the two times that the pool has of every task with `recordTiming`. */
export const TIMES = [
  {
    kind: 'wait',
    name: 'plimsoll.pool.task.wait',
    prometheus: 'plimsoll_pool_task_wait_seconds',
    help: 'From run() to the start of the function.',
  },
  {
    kind: 'run',
    name: 'plimsoll.pool.task.run',
    prometheus: 'plimsoll_pool_task_run_seconds',
    help: 'From the start of the function to its end.',
  },
] as const;

/** Upper bounds of histograms, in seconds. */
export const BOUNDS: readonly number[] = [
  0.00001, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
