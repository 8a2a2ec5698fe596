import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { observe } from '@plimsoll/pool/observe';
import { caught, poolFor } from './support.js';

const NEVER = 2 ** 31 - 1;

function collector() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: NEVER });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    meter: provider.getMeter('test'),
    /** The values of every instrument, by its name. */
    async collect(): Promise<Map<string, { value: unknown; attributes: Record<string, unknown> }[]>> {
      exporter.reset();
      await reader.forceFlush();
      const metrics = exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
      return new Map(
        metrics.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ value, attributes }) => ({ value, attributes })),
        ]),
      );
    },
    shutdown: () => provider.shutdown(),
  };
}

test('observe() gives the metrics to OpenTelemetry until it is ended', async (t) => {
  const { meter, collect, shutdown } = collector();
  t.after(shutdown);
  const pool = poolFor(t, { explain: true });
  const end = observe(pool).openTelemetryMetrics(meter);
  await Promise.all([1, 2, 3].map(() => pool.run(20, { name: 'block' })));
  await caught(pool.run('x', { name: 'fail' }));
  const metrics = await collect();
  assert.equal(metrics.get('plimsoll.pool.task.settled')?.[0]?.value, 4);
  assert.equal(metrics.get('plimsoll.pool.task.failed')?.[0]?.value, 1);
  assert.equal(metrics.get('plimsoll.pool.thread.count')?.[0]?.value, 1);
  assert.ok((metrics.get('plimsoll.pool.task.duration.sum')?.[0]?.value as number) >= 0.057);
  const quantiles = metrics.get('plimsoll.pool.task.duration.quantile') ?? [];
  assert.deepEqual(
    quantiles.map(({ attributes }) => attributes.quantile),
    ['0.5', '0.99'],
  );
  const phases = metrics.get('plimsoll.pool.function.time') ?? [];
  const run = phases.find(
    ({ attributes }) =>
      attributes['code.function.name'] === 'block' && attributes['plimsoll.pool.phase'] === 'run',
  );
  assert.ok((run?.value as number) >= 0.057);
  end();
  end();
  await pool.run(1, { name: 'echo' });
  const after = await collect();
  assert.notEqual(after.get('plimsoll.pool.task.settled')?.[0]?.value, 5);
});

test('a closed pool gives no metrics', async (t) => {
  const { meter, collect, shutdown } = collector();
  t.after(shutdown);
  const pool = poolFor(t);
  await pool.close();
  observe(pool).openTelemetryMetrics(meter);
  assert.equal((await collect()).size, 0);
});

test('observe() refuses what is no meter', async (t) => {
  for (const meter of [undefined, null, {}, 'meter']) {
    const error = await caught((async () => observe(poolFor(t)).openTelemetryMetrics(meter as never))());
    assert.ok(error instanceof TypeError);
    assert.equal((error as { code?: string }).code, 'PLIMSOLL_POOL_BAD_OPTION');
  }
});
