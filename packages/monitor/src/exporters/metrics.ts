import type { Logs } from '../host/monitor.js';
import { logs, type ThreadPoolMonitor } from '../host/monitor.js';
import { BUCKETS, middleOf } from '../shared/buckets.js';

/** The classes of jobs, as label and attribute. */
export const CLASSES = ['fast', 'slow'] as const satisfies readonly (keyof Logs)[];
export type JobClass = (typeof CLASSES)[number];

/** A value of the pool or of the monitor that exporters give as a gauge. */
export interface GaugeFamily {
  /** After Node's and .NET's names: `nodejs.threadpool.…`. */
  readonly name: string;
  /** Of Prometheus, with the unit. */
  readonly prometheus: string;
  readonly help: string;
  readonly unit: string;
  of(monitor: ThreadPoolMonitor): number | undefined;
}

export const GAUGES: readonly GaugeFamily[] = [
  {
    name: 'nodejs.threadpool.size',
    prometheus: 'nodejs_threadpool_size',
    help: "Threads of libuv's pool, counted.",
    unit: '{thread}',
    of: (monitor) => monitor.threadPool.size,
  },
  {
    name: 'nodejs.threadpool.busy',
    prometheus: 'nodejs_threadpool_busy',
    help: 'Threads of the pool that run a job.',
    unit: '{thread}',
    of: (monitor) => monitor.threadPool.busy,
  },
  {
    name: 'nodejs.threadpool.queue.length',
    prometheus: 'nodejs_threadpool_queue_length',
    help: 'Jobs that wait for a thread of the pool, counted up to 4096.',
    unit: '{job}',
    of: (monitor) => monitor.threadPool.queued,
  },
  {
    name: 'nodejs.threadpool.utilization',
    prometheus: 'nodejs_threadpool_utilization_ratio',
    help: 'Busy threads divided by all, over the last ten seconds.',
    unit: '1',
    of: (monitor) => monitor.threadPool.utilization,
  },
];

/** Of the oldest canary that is still out: a pool that stands still returns none, and its histogram shows nothing. */
export const OLDEST = {
  name: 'nodejs.threadpool.queue.wait.oldest',
  prometheus: 'nodejs_threadpool_queue_wait_oldest_seconds',
  help: 'How long the oldest canary has waited that is still out.',
  unit: 's',
} as const;

/** The histogram of waits. */
export const WAIT = {
  name: 'nodejs.threadpool.queue.wait',
  prometheus: 'nodejs_threadpool_queue_wait_seconds',
  help: 'How long a job waits for a thread of the pool, by canaries.',
  unit: 's',
} as const;

/** Upper bounds of the histogram, in seconds. */
export const BOUNDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** In seconds; 0 when none is out. */
export function oldestWait(monitor: ThreadPoolMonitor, jobClass: JobClass): number {
  const ages = logs(monitor)
    [jobClass].unfinished()
    .map(({ age }) => age);
  return Math.max(0, ...ages) / 1e9;
}

/** What has come to a histogram since the last time, for those that take one value after another. */
export class NewWaits {
  readonly #seen = new Float64Array(BUCKETS);

  /** @param record is called with a wait in seconds, as often as it was counted */
  each(monitor: ThreadPoolMonitor, jobClass: JobClass, record: (seconds: number) => void): void {
    const totals = logs(monitor)[jobClass].totals();
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const fresh = (totals[bucket] as number) - (this.#seen[bucket] as number);
      for (let time = 0; time < fresh; time++) record(middleOf(bucket) / 1e9);
      this.#seen[bucket] = totals[bucket] as number;
    }
  }
}
