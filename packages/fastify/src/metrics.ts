import type { Pool } from '@plimsoll/pool';

/** Of the text format of Prometheus. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly help: string;
  of(pool: Pool): readonly Sample[];
}

const QUANTILES = ['0.5', '0.9', '0.99'] as const;

type Times = Pool['histogram']['runTime'];

/** Quantiles of nothing are NaN, as clients of Prometheus have it. */
function quantiles({ mean, p50, p90, p99 }: Times): readonly Sample[] {
  return [p50, p90, p99].map((milliseconds, index) => [
    Number.isNaN(mean) ? Number.NaN : milliseconds / 1000,
    { quantile: QUANTILES[index] as string },
  ]);
}

const FAMILIES: readonly Family[] = [
  {
    name: 'plimsoll_pool_threads',
    type: 'gauge',
    help: 'Worker threads, those that still start included.',
    of: (pool) => [[pool.threads.length]],
  },
  {
    name: 'plimsoll_pool_idle_threads',
    type: 'gauge',
    help: 'Worker threads that are ready and run nothing.',
    of: (pool) => [[pool.idleThreads]],
  },
  {
    name: 'plimsoll_pool_max_threads',
    type: 'gauge',
    help: 'Worker threads at most (option maxThreads).',
    of: (pool) => [[pool.maxThreads]],
  },
  {
    name: 'plimsoll_pool_queue_size',
    type: 'gauge',
    help: 'Tasks that wait because every worker has enough to do.',
    of: (pool) => [[pool.queueSize]],
  },
  {
    name: 'plimsoll_pool_queue_limit',
    type: 'gauge',
    help: 'Tasks that may wait (option maxQueue).',
    of: (pool) => [[pool.options.maxQueue]],
  },
  {
    name: 'plimsoll_pool_tasks_completed_total',
    type: 'counter',
    help: 'Tasks whose promise was settled, one of them the check of the worker file.',
    of: (pool) => [[pool.completed]],
  },
  {
    name: 'plimsoll_pool_utilization_ratio',
    type: 'gauge',
    help: 'Part of its life for which maxThreads workers were busy, 0 to 1.',
    of: (pool) => [[pool.utilization]],
  },
  {
    name: 'plimsoll_pool_pressure_ratio',
    type: 'gauge',
    help: 'Tasks that came in divided by tasks that went out, over the last seconds.',
    of: (pool) => [[pool.stats.pressure]],
  },
  {
    name: 'plimsoll_pool_wait_time_seconds',
    type: 'summary',
    help: 'From the submission of a task to the start of its function.',
    of: (pool) => quantiles(pool.histogram.waitTime),
  },
  {
    name: 'plimsoll_pool_run_time_seconds',
    type: 'summary',
    help: 'From the start of the function of a task to its end.',
    of: (pool) => quantiles(pool.histogram.runTime),
  },
];

/**
 * The statistics of some pools in the text format of Prometheus, version 0.0.4. Every sample has the label `pool`.
 * Summaries have quantiles only: the pool counts neither their sums nor their samples.
 *
 * @param pools by the value of the label; any text will do.
 * @example
 * reply.type('text/plain; version=0.0.4; charset=utf-8').send(prometheusText(fastify.pools));
 */
export function prometheusText(pools: Readonly<Record<string, Pool>>): string {
  const entries = Object.entries(pools);
  const lines = FAMILIES.flatMap(({ name, type, help, of }) => [
    `# HELP ${name} ${escapeHelp(help)}`,
    `# TYPE ${name} ${type}`,
    ...entries.flatMap(([label, pool]) =>
      of(pool).map(([value, labels]) => `${name}${labelled({ pool: label, ...labels })} ${numeral(value)}`),
    ),
  ]);
  return `${lines.join('\n')}\n`;
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return `{${pairs.join(',')}}`;
}

/** As Go's ParseFloat reads them. */
function numeral(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
