import { isMainThread } from 'node:worker_threads';
import { logs, type ThreadPoolMonitor } from '../host/monitor.js';
import type { WaitLog } from '../host/wait-log.js';
import type { Distribution, FollowedFamily, NumberFamily, Sample } from '../metrics/family.js';
import { type Meter, observeFamilies } from '../metrics/opentelemetry.js';
import { textOf } from '../metrics/prometheus.js';
import { stateAtHome } from '../resize/home.js';
import { BUCKETS, middleOf } from '../shared/buckets.js';

/** After .NET's `dotnet.thread_pool.*`, the thread pool that OpenTelemetry has names for. */
const PREFIX = 'nodejs.thread_pool';
const KIND = `${PREFIX}.work.kind`;
const KINDS = ['fast', 'slow'] as const;
const DIRECTION = `${PREFIX}.resize.direction`;

/** Only the main thread knows. */
const atHome = () => (isMainThread ? stateAtHome() : undefined);

/** What exporters give of a monitor; no `reset()` touches it. */
export function familiesOf(monitor: ThreadPoolMonitor): (NumberFamily | FollowedFamily)[] {
  const { threadPool } = monitor;
  const gauge = (name: string, unit: string, help: string, of: () => number | undefined): NumberFamily => ({
    ...{ name: `${PREFIX}.${name}`, type: 'gauge', unit, help },
    samples: () => {
      const value = of();
      return value === undefined ? [] : [{ value }];
    },
  });
  const byKind = <Value>(of: (log: WaitLog) => Value): Sample<Value>[] =>
    KINDS.map((kind) => ({ value: of(logs(monitor)[kind]), attributes: { [KIND]: kind } }));
  return [
    gauge('thread.count', '{thread}', "Threads of libuv's pool, counted.", () => threadPool.size),
    gauge('thread.active', '{thread}', 'Threads of the pool that run a job.', () => threadPool.busy),
    gauge(
      'thread.blocked',
      '{thread}',
      'Threads of the pool that wait in the kernel while jobs wait for them, as a rescue sees it.',
      () => atHome()?.blocked,
    ),
    gauge(
      'queue.length',
      '{job}',
      'Jobs that wait for a thread of the pool, counted up to 4096.',
      () => threadPool.queued,
    ),
    gauge(
      'utilization',
      '1',
      'Busy threads divided by all, over the last ten seconds.',
      () => threadPool.utilization,
    ),
    {
      ...{ name: `${PREFIX}.resizes`, type: 'counter', unit: '{resize}' },
      help: 'How often the pool was made larger or smaller while it ran.',
      samples: () => {
        const known = isMainThread ? (atHome()?.resizes ?? { grow: 0, shrink: 0 }) : undefined;
        return Object.entries(known ?? {}).map(([way, value]) => ({
          value,
          attributes: { [DIRECTION]: way },
        }));
      },
    },
    {
      // A pool that stands still returns no canary, and the histogram shows nothing.
      ...{ name: `${PREFIX}.queue.age`, type: 'gauge', unit: 's' },
      help: 'How long the oldest canary has waited that is still out.',
      samples: () => byKind((log) => Math.max(0, ...log.unfinished().map(({ age }) => age)) / 1e9),
    },
    {
      ...{ name: `${PREFIX}.queue.duration`, type: 'histogram', unit: 's' },
      help: 'How long a job waits for a thread of the pool, by canaries.',
      samples: () => byKind((log) => distributionOf(log.totals())),
      follow: () => {
        const seen: Float64Array[] = [];
        return (record) => {
          for (const [kind, { value: totals, attributes = {} }] of byKind((log) => log.totals()).entries()) {
            eachBucket(totals, (count, seconds, bucket) => {
              const fresh = count - (seen[kind]?.[bucket] ?? 0);
              for (let time = 0; time < fresh; time++) record(seconds, attributes);
            });
            seen[kind] = totals;
          }
        };
      },
    },
  ];
}

function eachBucket(
  totals: Float64Array,
  visit: (count: number, seconds: number, bucket: number) => void,
): void {
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const count = totals[bucket] as number;
    if (count > 0) visit(count, middleOf(bucket) / 1e9, bucket);
  }
}

function distributionOf(totals: Float64Array): Distribution {
  const sumOf = (term: (count: number, seconds: number) => number): number => {
    let sum = 0;
    eachBucket(totals, (count, seconds) => {
      sum += term(count, seconds);
    });
    return sum;
  };
  return {
    count: sumOf((count) => count),
    sum: sumOf((count, seconds) => count * seconds),
    countUpTo: (bound) => sumOf((count, seconds) => (seconds <= bound ? count : 0)),
  };
}

/**
 * What the monitor knows, in the text format of Prometheus, version 0.0.4: gauges, where the platform tells, and a histogram
 * of waits with the label `nodejs_thread_pool_work_kind` (fast, slow).
 *
 * @example
 * response.setHeader('content-type', prometheusContentType);
 * response.end(prometheusText(monitor));
 */
export const prometheusText = (monitor: ThreadPoolMonitor): string =>
  textOf([{ families: familiesOf(monitor) }]);

/**
 * Exports the same metrics to OpenTelemetry. Start its SDK first: until then its API returns meters that do nothing.
 *
 * @param meter of `@opentelemetry/api`: `metrics.getMeter('my-app')`
 * @returns a function that ends the export
 * @example
 * const stop = observeWithOpenTelemetry(monitor, metrics.getMeter('my-app'));
 */
export const observeWithOpenTelemetry = (monitor: ThreadPoolMonitor, meter: Meter): (() => void) =>
  observeFamilies(familiesOf(monitor), meter);
