import { isMainThread } from 'node:worker_threads';
import { logs, type ThreadPoolMonitor } from '../host/monitor.js';
import type { WaitLog } from '../host/wait-log.js';
import type { Distribution, FollowedFamily, NumberFamily, Sample } from '../metrics/family.js';
import { type Meter, observeFamilies } from '../metrics/opentelemetry.js';
import { textOf } from '../metrics/prometheus.js';
import { stateAtHome } from '../resize/home.js';
import { middleOf } from '../shared/buckets.js';

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
  const byKind = <Value>(of: (log: WaitLog) => Value): Required<Sample<Value>>[] =>
    KINDS.map((kind) => ({ value: of(logs(monitor)[kind]), attributes: { [KIND]: kind } }));
  const blocked =
    'Threads of the pool that wait in the kernel while jobs wait for them, as a rescue sees it.';
  const queued = 'Jobs that wait for a thread of the pool, counted up to 4096.';
  const utilization = 'Busy threads divided by all, over the last ten seconds.';
  return [
    gauge('thread.count', '{thread}', "Threads of libuv's pool, counted.", () => threadPool.size),
    gauge('thread.active', '{thread}', 'Threads of the pool that run a job.', () => threadPool.busy),
    gauge('thread.blocked', '{thread}', blocked, () => atHome()?.blocked),
    gauge('queue.length', '{job}', queued, () => threadPool.queued),
    gauge('utilization', '1', utilization, () => threadPool.utilization),
    {
      ...{ name: `${PREFIX}.resizes`, type: 'counter', unit: '{resize}' },
      help: 'How often the pool was made larger or smaller while it ran.',
      samples: () =>
        Object.entries(isMainThread ? (atHome()?.resizes ?? { grow: 0, shrink: 0 }) : {}).map(
          ([way, value]) => ({ value, attributes: { [DIRECTION]: way } }),
        ),
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
          for (const [kind, { value: totals, attributes }] of byKind((log) => log.totals()).entries()) {
            for (const [bucket, count] of totals.entries())
              for (let fresh = count - (seen[kind]?.[bucket] ?? 0); fresh > 0; fresh--)
                record(secondsOf(bucket), attributes);
            seen[kind] = totals;
          }
        };
      },
    },
  ];
}

const secondsOf = (bucket: number): number => middleOf(bucket) / 1e9;

function distributionOf(totals: Float64Array): Distribution {
  const sumOf = (term: (seconds: number) => number): number =>
    totals.reduce((sum, count, bucket) => (count === 0 ? sum : sum + count * term(secondsOf(bucket))), 0);
  return {
    count: sumOf(() => 1),
    sum: sumOf((seconds) => seconds),
    countUpTo: (bound) => sumOf((seconds) => Number(seconds <= bound)),
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
