import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as api from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { Pool } from '@plimsoll/pool';
import { observe } from '@plimsoll/pool/observe';
import { caught, fixture } from './support.js';

/** A span as a tracer of an SDK would make it. */
class TestSpan {
  readonly name: string;
  readonly attributes: api.Attributes;
  readonly parent: api.SpanContext | undefined;
  readonly own: api.SpanContext;
  status: api.SpanStatus | undefined;
  exception: unknown;
  ends = 0;

  constructor(name: string, attributes: api.Attributes, parent: api.SpanContext | undefined) {
    const hex = (digits: number) =>
      Array.from({ length: digits }, () => Math.floor(Math.random() * 15 + 1).toString(16)).join('');
    this.name = name;
    this.attributes = attributes;
    this.parent = parent;
    this.own = { traceId: parent?.traceId ?? hex(32), spanId: hex(16), traceFlags: 1 };
  }

  spanContext = () => this.own;
  recordException(error: unknown): void {
    this.exception = error;
  }
  setStatus(status: api.SpanStatus): this {
    this.status = status;
    return this;
  }
  end(): void {
    this.ends++;
  }
}

const spans: TestSpan[] = [];
const storage = new AsyncLocalStorage<api.Context>();
const manager: api.ContextManager = {
  active: () => storage.getStore() ?? api.ROOT_CONTEXT,
  with: ((active: api.Context, fn: () => unknown) => storage.run(active, fn)) as api.ContextManager['with'],
  bind: (_active, target) => target,
  enable: () => manager,
  disable: () => manager,
};
api.context.setGlobalContextManager(manager);
api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
const tracer = {
  startSpan(name: string, options: api.SpanOptions = {}, active = api.context.active()) {
    const span = new TestSpan(name, options.attributes ?? {}, api.trace.getSpan(active)?.spanContext());
    spans.push(span);
    return span;
  },
};
api.trace.setGlobalTracerProvider({ getTracer: () => tracer } as unknown as api.TracerProvider);
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 });
const provider = new MeterProvider({ readers: [reader] });
api.metrics.setGlobalMeterProvider(provider);

const messageOf = (span: TestSpan | undefined): string =>
  String((span?.exception as Error | undefined)?.message);

function pooled(t: TestContext, openTelemetry: boolean | typeof api = true): Pool {
  const pool = new Pool({ filename: fixture('traced.mjs'), minThreads: 1, maxThreads: 1, openTelemetry });
  t.after(() => pool.destroy());
  spans.length = 0;
  return pool;
}

for (const how of [true, api]) {
  test(`a task has a span, a child of the caller's, whose context is active in the worker (${typeof how})`, async (t) => {
    const pool = pooled(t, how);
    const caller = new TestSpan('caller', {}, undefined);
    const active = api.trace.setSpan(api.ROOT_CONTEXT, caller as unknown as api.Span);
    const found = await api.context.with(active, () => pool.run(0, { name: 'spanContext' }));
    assert.equal(spans.length, 1);
    const [span] = spans;
    assert.equal(span?.name, 'pool.run spanContext');
    assert.equal(span?.attributes['code.function.name'], 'spanContext');
    assert.equal(span?.parent?.spanId, caller.own.spanId);
    assert.equal(span?.ends, 1);
    assert.equal(span?.status, undefined);
    const { traceId, spanId } = span?.own ?? {};
    assert.deepEqual(found, { traceId, spanId, isRemote: true });
  });
}

test('tasks at a time are spans of their own, and each is seen in its task', async (t) => {
  const pool = pooled(t);
  const found = await Promise.all([1, 2, 3, 4].map(() => pool.run(0, { name: 'spanContext' })));
  assert.deepEqual(
    found.map((one) => (one as { spanId: string }).spanId),
    spans.map(({ own }) => own.spanId),
  );
});

test('a map has a span for each item, a stream has one, all of them children of where the loop was begun', async (t) => {
  const pool = pooled(t);
  const caller = new TestSpan('caller', {}, undefined);
  const active = api.trace.setSpan(api.ROOT_CONTEXT, caller as unknown as api.Span);
  const all = async (items: AsyncIterable<unknown>): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const item of items) found.push((item as { spanId: string }).spanId);
    return found;
  };
  const options = { name: 'spanContext', concurrency: 2 };
  const ofMap = await api.context.with(active, () => all(pool.map([1, 2, 3, 4, 5], options)));
  assert.deepEqual(
    ofMap,
    spans.map(({ own }) => own.spanId),
  );
  assert.ok(spans.every(({ parent, ends }) => parent?.spanId === caller.own.spanId && ends === 1));
  spans.length = 0;
  const ofStream = await api.context.with(active, () => all(pool.stream(3, { name: 'spanContexts' })));
  const [span] = spans;
  assert.equal(spans.length, 1);
  assert.deepEqual(ofStream, [span?.own.spanId, span?.own.spanId, span?.own.spanId]);
  assert.equal(span?.parent?.spanId, caller.own.spanId);
  assert.equal(span?.ends, 1);
  await caught(all(pool.stream(0, { name: 'fail' })));
  assert.equal(messageOf(spans[1]), 'of the task');
  assert.equal(spans[1]?.ends, 1);
});

test('a failure is the status and the exception of the span, also when the worker dies or the task never ran', async (t) => {
  const pool = pooled(t);
  await caught(pool.run(0, { name: 'fail' }));
  await caught(pool.run(0, { name: 'exit' }));
  const busy = pool.run(0, { name: 'spanContext' });
  await caught(
    pool.run(0, { name: 'spanContext', signal: AbortSignal.timeout(0) }).then(() => Promise.reject()),
  );
  await busy;
  await pool.close();
  await caught(pool.run(0, { name: 'spanContext' }));
  assert.ok(spans.every(({ ends }) => ends === 1));
  const [failed, died] = spans;
  assert.equal(messageOf(failed), 'of the task');
  assert.deepEqual(failed?.status, { code: api.SpanStatusCode.ERROR, message: 'of the task' });
  assert.match(messageOf(died), /exited with code/);
  assert.match(messageOf(spans.at(-1)), /closing or closed/);
});

test('the option alone gives the metrics, until the pool is closed', async (t) => {
  const metric = async (name: string) => {
    exporter.reset();
    await reader.forceFlush();
    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    const own = metrics.filter(({ scope }) => scope.name === '@plimsoll/pool').flatMap((one) => one.metrics);
    return own.find(({ descriptor }) => descriptor.name === name)?.dataPoints[0]?.value;
  };
  const pool = pooled(t);
  observe(pool).openTelemetryMetrics();
  await pool.run(0, { name: 'spanContext' });
  await pool.run(0, { name: 'spanContext' });
  assert.equal(await metric('plimsoll.pool.task.settled'), 2);
  await pool.close();
  await caught(pool.run(0, { name: 'spanContext' }));
  assert.equal(await metric('plimsoll.pool.task.refused'), 0, 'it was not asked any more');
});

test('false is no telemetry', async (t) => {
  const none = pooled(t, false);
  await caught(none.run(0, { name: 'fail' }));
  assert.equal(spans.length, 0);
});

const INDEX = new URL('../dist/index.js', import.meta.url).href;
const PROGRAM = `
import { Pool } from ${JSON.stringify(INDEX)};
const pool = new Pool({ filename: process.cwd() + '/worker.mjs', openTelemetry: true, maxThreads: 1 });
console.log(await pool.run(20));
await pool.close();
`;

test('true without the module installed is no telemetry', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-spans-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'worker.mjs'), 'export default (value) => value + 1;');
  const flags = ['--input-type=module', '--eval', PROGRAM];
  const child = spawnSync(process.execPath, flags, { cwd: folder, encoding: 'utf8', timeout: 60_000 });
  assert.deepEqual([child.stdout, child.stderr], ['21\n', '']);
});
