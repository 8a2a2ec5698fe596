import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { plimsollPool } from '@plimsoll/fastify';
import type { FastifyInstance } from 'fastify';
import { type Create, FASTIFIES, fixture, holdThreads } from './support.js';

const tasks = { filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 };
const statusOf = async (fastify: FastifyInstance, path = '/'): Promise<number> =>
  (await fastify.inject(path)).statusCode;

/** The first answer of a status: a machine that stands still may saturate the pool for a while, too. */
async function untilStatus(fastify: FastifyInstance, status: number) {
  for (;;) {
    const answer = await fastify.inject('/');
    if (answer.statusCode === status) return answer;
    await sleep(5);
  }
}

async function server(create: Create, options: object): Promise<FastifyInstance> {
  const fastify = create();
  fastify.register(plimsollPool, { ...tasks, ...options });
  fastify.register((child, _, done) => {
    child.get('/', async () => 'ok');
    child.get('/alive', { config: { shed: false } }, async () => 'ok');
    done();
  });
  await fastify.ready();
  return fastify;
}

for (const [version, create] of FASTIFIES) {
  test(`${version}: requests are refused while jobs wait too long for libuv's pool`, {
    skip: process.platform === 'win32',
  }, async (t) => {
    const fastify = await server(create, { shed: { poolWaitMs: 50 }, retryAfter: 3, metrics: '/metrics' });
    t.after(() => fastify.close());
    await untilStatus(fastify, 200);
    const release = holdThreads(t);
    const { headers, body } = await untilStatus(fastify, 503);
    assert.equal(headers['retry-after'], '3');
    assert.equal(JSON.parse(body).code, 'PLIMSOLL_FASTIFY_POOL_SATURATED');
    assert.equal(await statusOf(fastify, '/alive'), 200, 'an exempt route');
    const metrics = await fastify.inject('/metrics');
    assert.equal(metrics.statusCode, 200);
    assert.match(
      metrics.body,
      /^plimsoll_pool_thread_count\{.*^nodejs_thread_pool_queue_duration_seconds_count\{/ms,
    );
    await release();
    await untilStatus(fastify, 200);
  });
}

test('without the option nothing is refused', { skip: process.platform === 'win32' }, async (t) => {
  const [[, create]] = FASTIFIES as [(typeof FASTIFIES)[number]];
  const fastify = await server(create, {});
  t.after(() => fastify.close());
  holdThreads(t);
  const end = performance.now() + 500;
  while (performance.now() < end) assert.equal(await statusOf(fastify), 200);
});

test('what is no limit is refused', async () => {
  const [[, create]] = FASTIFIES as [(typeof FASTIFIES)[number]];
  for (const shed of [true, 50, {}, { poolWaitMs: 0 }, { poolWaitMs: '50' }, { poolWaitMs: 50, forMs: -1 }]) {
    const fastify = create();
    await assert.rejects(async () => fastify.register(plimsollPool, { ...tasks, shed } as never), {
      code: 'PLIMSOLL_FASTIFY_BAD_OPTION',
      message: /^options\.shed/,
    });
    await fastify.close();
  }
});
