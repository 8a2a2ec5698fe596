import type { Core } from '../host/core.js';

/** A number of the pool, as exporters give it. Counters never go back. */
export interface Family {
  /** Of OpenTelemetry; see `prometheusName`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  of(core: Core): number;
}

const family =
  (type: Family['type']) =>
  (name: string, help: string, of: Family['of']): Family => ({
    name: `plimsoll.pool.${name}`,
    type,
    help,
    of,
  });
const counter = family('counter');
const gauge = family('gauge');

/** What every pool knows. */
export const FAMILIES: readonly Family[] = [
  counter('tasks.submitted', 'Tasks that run() has accepted.', (core) => core.completed + core.outstanding),
  counter('tasks.settled', 'Tasks whose promise was settled.', (core) => core.completed),
  counter(
    'tasks.failed',
    'Tasks whose promise was rejected: they threw, were cancelled, or died with their worker.',
    (core) => core.failed,
  ),
  counter(
    'tasks.refused',
    'Tasks that run() has not accepted: the queue was full, or the pool closed.',
    (core) => core.refused,
  ),
  gauge('tasks.outstanding', 'Tasks whose promise is not settled.', (core) => core.outstanding),
  gauge('queue.length', 'Tasks that wait because every worker has enough to do.', (core) => core.queueSize),
  gauge('workers', 'Worker threads, those that still start included.', (core) => core.workers.length),
  gauge('workers.idle', 'Worker threads that are ready and free.', (core) => core.idleThreads),
  gauge('workers.max', 'Worker threads at most.', (core) => core.options.maxThreads),
  counter('workers.started', 'Worker threads that were started.', (core) => core.made),
  counter('workers.exited', 'Worker threads that have ended, whatever for.', (core) => core.exited),
];

/** Of the two times that the pool has of every task with `recordTiming`. */
export const TIMES = [
  { kind: 'wait', name: 'plimsoll.pool.task.wait', help: 'From run() to the start of the function.' },
  { kind: 'run', name: 'plimsoll.pool.task.run', help: 'From the start of the function to its end.' },
] as const;

export const PHASE_HELP = 'Where the time of tasks went, by function.';

/** @param unit of what is no count */
export const prometheusName = (name: string, type: string, unit = ''): string =>
  `${name.replaceAll('.', '_')}${unit}${type === 'counter' ? '_total' : ''}`;
