import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observe, prometheusContentType, prometheusText } from '@plimsoll/pool/observe';
import { caught, fixture, newGate, poolFor, until } from './support.js';

interface Sample {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly value: number;
}

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const UNESCAPED: Record<string, string> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };

/** Reads the text as strictly as its format is defined: every family declared once, before its samples. */
function parse(text: string): { samples: Sample[]; types: Map<string, string> } {
  assert.ok(text.endsWith('\n'));
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  let family = '';
  for (const line of text.trimEnd().split('\n')) {
    const [, help] = /^# HELP ([a-z_]+) \S.*$/.exec(line) ?? [];
    if (help !== undefined) {
      assert.ok(!types.has(help), `${help} twice`);
      family = help;
      continue;
    }
    const [, typed, type = ''] = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (typed !== undefined) {
      assert.equal(typed, family);
      types.set(family, type);
      continue;
    }
    const [, name = '', inside = '', value = ''] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    assert.ok(name.startsWith(family) && name !== '', line);
    samples.push({ name, labels: labelsOf(inside), value: Number(value.replace('+Inf', 'Infinity')) });
  }
  return { samples, types };
}

function labelsOf(inside: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inside.length) {
    const at = LABEL.lastIndex;
    const found = LABEL.exec(inside);
    assert.ok(found !== null, `labels cannot be read from ${inside.slice(at)}`);
    labels[found[1] as string] = (found[2] as string).replace(
      /\\[\\"n]/g,
      (pair) => UNESCAPED[pair] as string,
    );
  }
  return labels;
}

const numberOf = (samples: readonly Sample[], name: string): number => {
  const found = samples.filter((sample) => sample.name === name);
  assert.equal(found.length, 1, name);
  return (found[0] as Sample).value;
};

test('metrics() counts tasks, failures, refusals and workers', async (t) => {
  const pool = poolFor(t, { maxQueue: 1 });
  await pool.run(1, { name: 'echo' });
  await caught(pool.run('x', { name: 'fail' }));
  await caught(pool.run(1, { name: 'exit' }));
  await until(() => pool.idleThreads === 1);
  const gate = newGate();
  const running = [pool.run(gate.words, { name: 'hold' }), pool.run(1, { name: 'echo' })];
  await caught(pool.run(1, { name: 'echo' }));
  const during = parse(observe(pool).prometheusMetrics()).samples;
  assert.equal(numberOf(during, 'plimsoll_pool_task_outstanding'), 2);
  assert.equal(numberOf(during, 'plimsoll_pool_queue_length'), 1);
  gate.open();
  await Promise.all(running);
  const { samples, types } = parse(observe(pool).prometheusMetrics());
  assert.equal(numberOf(samples, 'plimsoll_pool_task_submitted_total'), 5);
  assert.equal(numberOf(samples, 'plimsoll_pool_task_settled_total'), 5);
  assert.equal(numberOf(samples, 'plimsoll_pool_task_failed_total'), 2);
  assert.equal(numberOf(samples, 'plimsoll_pool_task_refused_total'), 1);
  assert.equal(numberOf(samples, 'plimsoll_pool_thread_started_total'), 2);
  assert.equal(numberOf(samples, 'plimsoll_pool_thread_exited_total'), 1);
  assert.equal(numberOf(samples, 'plimsoll_pool_thread_count'), 1);
  assert.equal(numberOf(samples, 'plimsoll_pool_thread_max'), 1);
  for (const [name, type] of types) assert.equal(name.endsWith('_total'), type === 'counter', name);
});

test('the requests that a stream takes back at its end are no failures, but an error of the generator is one', async (t) => {
  const pool = poolFor(t, { filename: fixture('streams.mjs') });
  const begun = new Int32Array(new SharedArrayBuffer(4));
  for await (const item of pool.stream(begun, { name: 'waits' })) {
    assert.equal(item, 'first');
    // The worker is busy with the next item, and all further ones wait.
    await until(() => Atomics.load(begun, 0) === 1);
    break;
  }
  const failures = (): number =>
    numberOf(parse(observe(pool).prometheusMetrics()).samples, 'plimsoll_pool_task_failed_total');
  assert.equal(failures(), 0);
  await caught(pool.stream(0, { name: 'throws' }).next());
  await pool.onIdle();
  assert.equal(failures(), 1);
});

test('histograms are cumulative, end at their count, and no reset touches them', async (t) => {
  const pool = poolFor(t);
  await Promise.all([1, 2, 3].map(() => pool.run(20, { name: 'block' })));
  pool.histogram.resetRunTime();
  pool.histogram.resetWaitTime();
  const { samples, types } = parse(observe(pool).prometheusMetrics());
  for (const name of ['plimsoll_pool_task_duration_seconds', 'plimsoll_pool_queue_duration_seconds']) {
    assert.equal(types.get(name), 'histogram');
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
    const values = buckets.map(({ value }) => value);
    assert.deepEqual(
      values,
      [...values].sort((one, other) => one - other),
    );
    assert.equal(buckets.at(-1)?.labels.le, '+Inf');
    assert.equal(values.at(-1), 3);
    assert.equal(numberOf(samples, `${name}_count`), 3);
  }
  assert.ok(numberOf(samples, 'plimsoll_pool_task_duration_seconds_sum') >= 0.057);
  const below = (bound: string) =>
    samples.find(
      ({ name, labels }) => name === 'plimsoll_pool_task_duration_seconds_bucket' && labels.le === bound,
    );
  assert.equal(below('0.01')?.value, 0);
  const silent = parse(observe(poolFor(t, { recordTiming: false })).prometheusMetrics());
  assert.equal(silent.types.has('plimsoll_pool_task_duration_seconds'), false);
});

test('labels are escaped, and stand on every sample', async (t) => {
  const pool = poolFor(t);
  const value = 'a "b" \\n \\ c\nd, e="f"}';
  const { samples } = parse(prometheusText({ [value]: pool }));
  assert.ok(samples.length > 30);
  for (const { labels } of samples) assert.equal(labels.pool, value);
  assert.match(prometheusContentType, /version=0\.0\.4/);
});

test('several pools are one text, in which each family is declared once', async (t) => {
  const pools = { first: poolFor(t), second: poolFor(t, { recordTiming: false }) };
  await pools.first.run(1, { name: 'echo' });
  const { samples, types } = parse(prometheusText(pools));
  const settled = samples.filter(({ name }) => name === 'plimsoll_pool_task_settled_total');
  assert.deepEqual(
    settled.map(({ labels, value }) => [labels.pool, value]),
    [
      ['first', 1],
      ['second', 0],
    ],
  );
  assert.ok(types.has('plimsoll_pool_task_duration_seconds'), 'one of them records times');
  assert.throws(() => prometheusText({ none: {} as never }), { code: 'PLIMSOLL_POOL_BAD_OPTION' });
});

test('with explain there are the phases of each function', async (t) => {
  const pool = poolFor(t, { explain: true });
  observe(pool);
  await pool.run(20, { name: 'block' });
  await caught(pool.run(1, { name: 'no "such"\nname' }));
  const { samples } = parse(observe(pool).prometheusMetrics());
  const phases = samples.filter(({ name }) => name === 'plimsoll_pool_function_time_seconds_total');
  const run = phases.find(
    ({ labels }) => labels.code_function_name === 'block' && labels.plimsoll_pool_phase === 'run',
  );
  assert.ok((run?.value ?? 0) >= 0.019, `${run?.value} s`);
  assert.equal(run?.labels.code_file_path, pool.options.filename);
  assert.ok(phases.some(({ labels }) => labels.code_function_name === 'no "such"\nname'));
  const counts = samples.filter(({ name }) => name === 'plimsoll_pool_function_duration_seconds_count');
  assert.deepEqual(
    counts.map(({ value }) => value),
    [1, 1],
  );
});
