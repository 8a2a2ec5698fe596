import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { plimsollPool } from '@plimsoll/fastify';
import type { FastifyInstance } from 'fastify';
import { type Create, FASTIFIES, fixture, until } from './support.js';

const tasks = { filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 };
const SIZE = 4;

/** Jobs that keep their threads of libuv's pool until they are released: each opens a FIFO that nobody writes to. */
function holdThreads(t: TestContext): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fastify-'));
  const paths = Array.from({ length: SIZE }, (_, index) => join(folder, String(index)));
  execFileSync('mkfifo', paths);
  const held = new Set(paths);
  for (const path of paths) open(path, 'r', (_, file) => held.delete(path) && closeSync(file));
  const release = (): void => {
    for (const path of held) closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    rmSync(folder, { recursive: true, force: true });
  };
  t.after(release);
  return () => {
    release();
    held.clear();
  };
}

const statusOf = async (fastify: FastifyInstance, path = '/'): Promise<number> =>
  (await fastify.inject(path)).statusCode;

async function untilStatus(fastify: FastifyInstance, status: number): Promise<void> {
  let last: number | undefined;
  await until(() => {
    void statusOf(fastify).then((one) => {
      last = one;
    });
    return last === status;
  });
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
    assert.equal(await statusOf(fastify), 200);
    const release = holdThreads(t);
    await untilStatus(fastify, 503);
    const { headers, body } = await fastify.inject('/');
    assert.equal(headers['retry-after'], '3');
    assert.equal(JSON.parse(body).code, 'PLIMSOLL_FASTIFY_POOL_SATURATED');
    assert.equal(await statusOf(fastify, '/alive'), 200, 'an exempt route');
    const metrics = await fastify.inject('/metrics');
    assert.equal(metrics.statusCode, 200);
    assert.match(metrics.body, /^plimsoll_pool_workers\{.*^nodejs_threadpool_queue_wait_seconds_count\{/ms);
    release();
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
