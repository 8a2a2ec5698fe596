import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  monitorThreadPool,
  observeWithOpenTelemetry,
  prometheusContentType,
  prometheusText,
  registerWithPromClient,
  type ThreadPoolMonitor,
  threadPool,
} from '@plimsoll/monitor';
import * as client from 'prom-client';
import { HAS_FIFOS, holdThreads, IS_LINUX, until } from './support.js';

const QUICK = { resolution: 2, slowResolution: 5 };
const WAIT = 'nodejs_thread_pool_queue_duration_seconds';
const OLDEST = 'nodejs_thread_pool_queue_age_seconds';
const GAUGES = ['thread_count', 'thread_active', 'queue_length', 'utilization_ratio'].map(
  (name) => `nodejs_thread_pool_${name}`,
);

/** One that has measured and is switched off, so that its counts stand still. */
async function measured(): Promise<ThreadPoolMonitor> {
  const monitor = monitorThreadPool(QUICK);
  monitor.enable();
  await stat('.');
  await until(() => monitor.count > 20 && monitor.slow.count > 5);
  monitor.disable();
  return monitor;
}

/** Samples by name and labels; HELP and TYPE must come once and before them. */
function parse(text: string): Map<string, number> {
  assert.ok(text.endsWith('\n'));
  const samples = new Map<string, number>();
  let family = '';
  const seen = new Set<string>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, name = ''] = /^# (HELP|TYPE) (\w+) \S/.exec(line) ?? [];
    if (kind === 'HELP') {
      assert.ok(!seen.has(name), `${name} comes twice`);
      seen.add(name);
      family = name;
    } else if (kind === 'TYPE') assert.equal(name, family);
    else {
      const [, sample = '', value] = /^(\S+) (\S+)$/.exec(line) ?? assert.fail(line);
      assert.ok(sample.startsWith(family), line);
      samples.set(sample, Number(value));
    }
  }
  return samples;
}

test('the text of Prometheus has the histogram of each class, and its parts agree', async () => {
  const monitor = await measured();
  const samples = parse(prometheusText(monitor));
  for (const [jobClass, histogram] of [
    ['fast', monitor],
    ['slow', monitor.slow],
  ] as const) {
    const label = `nodejs_thread_pool_work_kind="${jobClass}"`;
    const buckets = [...samples].filter(([name]) => name.startsWith(`${WAIT}_bucket{${label},`));
    assert.equal(buckets.length, 17);
    const counts = buckets.map(([, count]) => count);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      'cumulative',
    );
    assert.equal(buckets.at(-1)?.[0], `${WAIT}_bucket{${label},le="+Inf"}`);
    const count = samples.get(`${WAIT}_count{${label}}`);
    assert.equal(counts.at(-1), count);
    assert.equal(count, histogram.count);
    const sum = samples.get(`${WAIT}_sum{${label}}`) as number;
    assert.ok(Math.abs(sum / (count as number) / (histogram.mean / 1e9) - 1) < 1e-6);
    assert.equal(samples.get(`${OLDEST}{${label}}`), 0);
  }
  assert.match(prometheusContentType, /^text\/plain; version=0\.0\.4/);
});

test('counters never fall: a reset is no concern of theirs', async () => {
  const monitor = await measured();
  const before = prometheusText(monitor);
  monitor.reset();
  assert.equal(monitor.count, 0);
  assert.equal(prometheusText(monitor), before);
});

test('gauges are there while the monitor runs, where the platform tells', { skip: !IS_LINUX }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  monitor.enable();
  holdThreads(t, 3);
  // A canary on its way is busy, too, for a moment.
  let samples = parse(prometheusText(monitor));
  await until(() => {
    samples = parse(prometheusText(monitor));
    return (
      GAUGES.slice(0, 3)
        .map((name) => samples.get(name))
        .join() === '4,3,0'
    );
  });
  const utilization = samples.get(GAUGES[3] as string) as number;
  assert.ok(utilization > 0 && utilization <= 1);
  monitor.disable();
  assert.ok(
    GAUGES.every((name) => !parse(prometheusText(monitor)).has(name)),
    'unknown is not zero',
  );
});

test('a pool that stands still shows in the oldest wait', { skip: !HAS_FIFOS }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  holdThreads(t, 4);
  monitor.enable();
  await until(
    () =>
      (parse(prometheusText(monitor)).get(`${OLDEST}{nodejs_thread_pool_work_kind="fast"}`) as number) > 0.2,
  );
});

test('prom-client tells the same, time and again', async () => {
  const monitor = await measured();
  const registry = new client.Registry();
  registerWithPromClient(monitor, client, registry);
  for (let scrape = 0; scrape < 2; scrape++) {
    const theirs = parse(await registry.metrics());
    const ours = parse(prometheusText(monitor));
    for (const [name, value] of ours) {
      const same = name.replace(
        /^(\S+_bucket)\{nodejs_thread_pool_work_kind="(\w+)",le="(.+)"\}$/,
        '$1{le="$3",nodejs_thread_pool_work_kind="$2"}',
      );
      const found = theirs.get(same);
      assert.ok(
        found !== undefined && Math.abs(found - value) <= 1e-6 * value,
        `${name}: ${found}, not ${value}`,
      );
    }
    for (const name of GAUGES) assert.ok(Number.isNaN(theirs.get(name)), 'unknown is not zero');
  }
});

interface WaitPoint {
  readonly attributes: object;
  readonly value: { readonly count: number; readonly sum: number };
}

test('OpenTelemetry gets each wait once, and the gauges', async (t) => {
  using monitor = monitorThreadPool(QUICK);
  monitor.enable();
  await stat('.');
  await until(() => monitor.count > 20 && monitor.slow.count > 5);
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  t.after(() => provider.shutdown());
  /** Of the last export. */
  const pointsOf = (name: string) =>
    exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap(({ metrics }) => metrics)
      .find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  const waits = () => pointsOf('nodejs.thread_pool.queue.duration') as WaitPoint[];

  const end = observeWithOpenTelemetry(monitor, provider.getMeter('test'));
  await reader.forceFlush();
  if (IS_LINUX) assert.equal(pointsOf('nodejs.thread_pool.thread.count')[0]?.value, 4);
  monitor.disable();
  await reader.forceFlush();
  const counted = waits();
  assert.deepEqual(
    counted.map(({ attributes, value: { count } }) => [attributes, count]),
    [
      [{ 'nodejs.thread_pool.work.kind': 'fast' }, monitor.count],
      [{ 'nodejs.thread_pool.work.kind': 'slow' }, monitor.slow.count],
    ],
  );
  const [fast] = counted as [WaitPoint];
  assert.ok(Math.abs(fast.value.sum / monitor.count / (monitor.mean / 1e9) - 1) < 1e-6);

  end();
  monitor.enable();
  const { count } = monitor;
  await until(() => monitor.count > count + 5);
  await reader.forceFlush();
  assert.deepEqual(
    waits().map(({ value }) => value.count),
    counted.map(({ value }) => value.count),
    'it was ended',
  );
});

test('resizes are counted by their direction', { skip: !IS_LINUX }, async () => {
  const count = (way: string) =>
    parse(prometheusText(monitorThreadPool())).get(
      `nodejs_thread_pool_resizes_total{nodejs_thread_pool_resize_direction="${way}"}`,
    );
  assert.deepEqual([count('grow'), count('shrink')], [0, 0], 'they are there from the start');
  for (const size of [3, 2, 4, 4]) await threadPool.resize(size);
  assert.deepEqual([count('grow'), count('shrink')], [1, 2]);
});
