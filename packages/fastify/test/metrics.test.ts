import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plimsollPool, prometheusText } from '@plimsoll/fastify';
import { FASTIFIES, fixture } from './support.js';

const tasks = { filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 };

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const VALUE = String.raw`"(?:[^"\\\n]|\\[\\"n])*"`;
const SAMPLE = new RegExp(
  String.raw`^(${NAME})(?:\{([a-z_]+=${VALUE}(?:,[a-z_]+=${VALUE})*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$`,
);

/** Reads the format as its description has it: HELP and TYPE once and first, then all samples of the family. */
function parse(text: string): Map<string, { type: string; samples: [labels: string, value: string][] }> {
  assert.ok(text.endsWith('\n'));
  const families = new Map<string, { type: string; samples: [string, string][] }>();
  let helped: string | undefined;
  let current: string | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const help = new RegExp(`^# HELP (${NAME}) \\S`).exec(line);
    const type = new RegExp(`^# TYPE (${NAME}) (gauge|counter|histogram)$`).exec(line);
    if (help !== null) {
      helped = help[1] as string;
      assert.ok(!families.has(helped), `${helped} comes twice`);
    } else if (type !== null) {
      current = type[1] as string;
      assert.equal(current, helped);
      families.set(current, { type: type[2] as string, samples: [] });
    } else {
      const [, name, labels, value] = SAMPLE.exec(line) ?? assert.fail(`not a line of the format: ${line}`);
      assert.ok(name?.startsWith(current as string));
      families.get(current as string)?.samples.push([labels ?? '', value as string]);
    }
  }
  return families;
}

for (const [version, create] of FASTIFIES) {
  test(`${version}: the route of statistics speaks the text format of Prometheus`, async (t) => {
    const fastify = create();
    t.after(() => fastify.close());
    const shed = { poolWaitMs: 10_000 };
    fastify.register(plimsollPool, { ...tasks, metrics: '/metrics', shed });
    fastify.register(plimsollPool, { ...tasks, namespace: 'other' });
    await fastify.ready();
    await fastify.runTask({ a: 1, b: 2 });
    const { headers, body } = await fastify.inject('/metrics');
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    const families = parse(body);
    assert.deepEqual(families.get('plimsoll_pool_thread_count'), {
      type: 'gauge',
      samples: [
        ['pool="default"', '1'],
        ['pool="other"', '1'],
      ],
    });
    // One of each is the check of the worker file.
    assert.deepEqual(families.get('plimsoll_pool_task_settled_total')?.samples, [
      ['pool="default"', '2'],
      ['pool="other"', '1'],
    ]);
    assert.deepEqual(families.get('plimsoll_pool_task_failed_total')?.samples[0]?.[1], '0');
    const waits = families.get('plimsoll_pool_queue_duration_seconds');
    assert.equal(waits?.type, 'histogram');
    assert.deepEqual(
      waits?.samples.filter(([labels]) => labels.endsWith('le="+Inf"')),
      [
        ['pool="default",le="+Inf"', '2'],
        ['pool="other",le="+Inf"', '1'],
      ],
    );
    const alone = prometheusText({ default: fastify.pool });
    const [ours, monitors] = [/^plimsoll_pool_/, /^nodejs_thread_pool_/].map((prefix) =>
      [...families.keys()].filter((name) => prefix.test(name)),
    );
    assert.deepEqual(ours, [...parse(alone).keys()], 'the names are those of the pool');
    assert.ok(monitors?.includes('nodejs_thread_pool_queue_duration_seconds'), 'and those of the monitor');
    assert.equal((ours?.length ?? 0) + (monitors?.length ?? 0), families.size);
  });
}

test('what a label must not hold is escaped', async (t) => {
  const [[, create]] = FASTIFIES as [(typeof FASTIFIES)[number]];
  const fastify = create();
  t.after(() => fastify.close());
  await fastify.register(plimsollPool, tasks);
  const text = prometheusText({ 'a "quote", a \\ and\na line': fastify.pool });
  assert.deepEqual(parse(text).get('plimsoll_pool_thread_count')?.samples, [
    [String.raw`pool="a \"quote\", a \\ and\na line"`, '1'],
  ]);
});
