import { isMainThread } from 'node:worker_threads';
import { logs, type ThreadPoolMonitor } from '../host/monitor.js';
import type { WaitLog } from '../host/wait-log.js';
import type { Distribution, FollowedFamily, NumberFamily, Sample } from '../metrics/family.js';
import { type Meter, observeFamilies } from '../metrics/opentelemetry.js';
import { textOf } from '../metrics/prometheus.js';
import { mainThreadState } from '../resize/start-engine.js';
import { middleOf } from '../shared/buckets.js';

/** Follows .NET's `dotnet.thread_pool.*`, the only thread pool in OpenTelemetry's conventions. */
const PREFIX = 'nodejs.thread_pool';
const KIND = `${PREFIX}.work.kind`;
const KINDS = ['fast', 'slow'] as const;
const DIRECTION = `${PREFIX}.resize.direction`;

/** Undefined in Workers: the main thread holds the state. */
const resizeState = () => (isMainThread ? mainThreadState() : undefined);

/** The metrics of a monitor; `reset()` does not change them. */
export function familiesOf(monitor: ThreadPoolMonitor): (NumberFamily | FollowedFamily)[] {
  const { threadPool } = monitor;
  const gauge = (name: string, unit: string, help: string, read: () => number | undefined): NumberFamily => ({
    ...{ name: `${PREFIX}.${name}`, type: 'gauge', unit, help },
    samples: () => {
      const value = read();
      return value === undefined ? [] : [{ value }];
    },
  });
  const byKind = <Value>(read: (log: WaitLog) => Value): Required<Sample<Value>>[] =>
    KINDS.map((kind) => ({ value: read(logs(monitor)[kind]), attributes: { [KIND]: kind } }));
  const blocked = 'Pool threads blocked in the kernel while jobs wait, as counted by a rescue.';
  const queued = 'Jobs waiting for a pool thread, counted up to 4096.';
  const utilization = 'Busy threads divided by all threads, over the last ten seconds.';
  return [
    gauge('thread.count', '{thread}', "Threads in libuv's pool, counted.", () => threadPool.size),
    gauge('thread.active', '{thread}', 'Pool threads running a job.', () => threadPool.busy),
    gauge('thread.blocked', '{thread}', blocked, () => resizeState()?.blocked),
    gauge('queue.length', '{job}', queued, () => threadPool.queued),
    gauge('utilization', '1', utilization, () => threadPool.utilization),
    {
      ...{ name: `${PREFIX}.resizes`, type: 'counter', unit: '{resize}' },
      help: 'Resizes of the running pool.',
      samples: () =>
        Object.entries(isMainThread ? (resizeState()?.resizes ?? { grow: 0, shrink: 0 }) : {}).map(
          ([way, value]) => ({ value, attributes: { [DIRECTION]: way } }),
        ),
    },
    {
      // A pool that stands still returns no canary, so the histogram would show nothing.
      ...{ name: `${PREFIX}.queue.age`, type: 'gauge', unit: 's' },
      help: 'How long the oldest unreturned canary has waited.',
      samples: () => byKind((log) => Math.max(0, ...log.unfinished().map(({ age }) => age)) / 1e9),
    },
    {
      ...{ name: `${PREFIX}.queue.duration`, type: 'histogram', unit: 's' },
      help: 'How long jobs wait for a pool thread, measured with canaries.',
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
 * Returns all metrics in Prometheus' text format, version 0.0.4: gauges, where the platform provides them,
 * and a wait histogram with the label `nodejs_thread_pool_work_kind` (fast, slow).
 *
 * @example
 * response.setHeader('content-type', prometheusContentType);
 * response.end(prometheusText(monitor));
 */
export const prometheusText = (monitor: ThreadPoolMonitor): string =>
  textOf([{ families: familiesOf(monitor) }]);

/**
 * Exports the same metrics to OpenTelemetry. Start its SDK first: before that, its API returns meters without
 * effect.
 *
 * @param meter of `@opentelemetry/api`: `metrics.getMeter('my-app')`
 * @returns a function that ends the export
 * @example
 * const stop = observeWithOpenTelemetry(monitor, metrics.getMeter('my-app'));
 */
export const observeWithOpenTelemetry = (monitor: ThreadPoolMonitor, meter: Meter): (() => void) =>
  observeFamilies(familiesOf(monitor), meter);
