import type { Distribution, HistogramFamily, NumberFamily } from '../../../monitor/dist/metrics/family.js';
import type { Core } from '../host/core.js';
import type { Histogram } from '../shared/histogram.js';
import type { Breakdown } from './breakdown.js';
import { PHASES } from './types.js';

const PREFIX = 'plimsoll.pool';
const PHASE = `${PREFIX}.phase`;
const QUANTILE = 'quantile';
const QUANTILES = [0.5, 0.99] as const;

/** The times that `recordTiming` measures for every task. */
const TIMES = [
  { kind: 'wait', name: `${PREFIX}.queue.duration`, help: 'From run() to the start of the function.' },
  { kind: 'run', name: `${PREFIX}.task.duration`, help: 'From the start of the function to its end.' },
] as const;

const attributesOf = ({ name, filename }: Breakdown) => ({
  'code.function.name': name,
  'code.file.path': filename,
});

export function numbersOf(core: Core, breakdowns: () => readonly Breakdown[]): NumberFamily[] {
  const family =
    (type: NumberFamily['type'], thing: string) =>
    (name: string, help: string, of: () => number): NumberFamily => ({
      ...{ name: `${PREFIX}.${name}`, type, unit: `{${thing}}`, help },
      samples: () => [{ value: of() }],
    });
  const tasks = family('counter', 'task');
  const tasksNow = family('gauge', 'task');
  const threads = family('counter', 'thread');
  const threadsNow = family('gauge', 'thread');
  return [
    tasks('task.submitted', 'Tasks that run() has accepted.', () => core.completed + core.outstanding),
    tasks('task.settled', 'Tasks whose promise was settled.', () => core.completed),
    tasks(
      'task.failed',
      'Tasks whose promise was rejected: they threw, were cancelled, or died with their worker.',
      () => core.failed,
    ),
    tasks(
      'task.refused',
      'Tasks that run() refused: the queue was full, or the pool closed.',
      () => core.refused,
    ),
    tasksNow('task.outstanding', 'Tasks whose promise has not settled.', () => core.outstanding),
    tasksNow('queue.length', 'Tasks that wait because every worker has enough to do.', () => core.queueSize),
    threadsNow(
      'thread.count',
      'Worker threads, including those that are starting.',
      () => core.workers.length,
    ),
    threadsNow('thread.idle', 'Worker threads that are ready and free.', () => core.idleThreads),
    threadsNow('thread.max', 'Upper limit of worker threads.', () => core.options.maxThreads),
    threads('thread.started', 'Worker threads that were started.', () => core.started),
    threads('thread.exited', 'Worker threads that have ended, for any reason.', () => core.exited),
    {
      ...{ name: `${PREFIX}.function.time`, type: 'counter', unit: 's' },
      help: 'Time that tasks spent in each phase, by function.',
      samples: () =>
        breakdowns().flatMap((breakdown) =>
          PHASES.map((phase) => ({
            value: breakdown.phases[phase].sum / 1e3,
            attributes: { ...attributesOf(breakdown), [PHASE]: phase },
          })),
        ),
    },
  ];
}

export function histogramsOf({ timing }: Core, breakdowns: () => readonly Breakdown[]): HistogramFamily[] {
  const times = TIMES.map(({ kind, name, help }) => ({
    ...{ name, help },
    samples: () => (timing === undefined ? [] : [{ value: inSeconds(timing.ever(kind)) }]),
  }));
  const byFunction = {
    name: `${PREFIX}.function.duration`,
    help: 'From run() to the end of reading the result, by function.',
    samples: () =>
      breakdowns().map((breakdown) => ({
        value: inSeconds(breakdown.total),
        attributes: attributesOf(breakdown),
      })),
  };
  return [...times, byFunction].map((family) => ({ ...family, type: 'histogram', unit: 's' }));
}

const inSeconds = (times: Histogram): Distribution => ({
  count: times.count,
  sum: times.sum / 1e3,
  countUpTo: (seconds) => times.countUpTo(seconds * 1e3),
});

/** Sums and quantiles for OpenTelemetry, whose histograms take single values: too slow for a million tasks per second. */
export const summariesOf = ({ timing }: Core): NumberFamily[] =>
  TIMES.flatMap(({ kind, name, help }) => [
    {
      ...{ name: `${name}.sum`, type: 'counter', unit: 's', help },
      samples: () => (timing === undefined ? [] : [{ value: timing.ever(kind).sum / 1e3 }]),
    },
    {
      ...{ name: `${name}.quantile`, type: 'gauge', unit: 's', help },
      samples: () => {
        const times = timing?.since(kind);
        if (times === undefined || times.count === 0) return [];
        return QUANTILES.map((quantile) => ({
          value: times.percentile(quantile * 100) / 1e3,
          attributes: { [QUANTILE]: String(quantile) },
        }));
      },
    },
  ]);
