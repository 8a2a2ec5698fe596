import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plimsollPool } from '@plimsoll/fastify';
import { FASTIFIES, fifoFor, fixture, gated, until } from './support.js';

const tasks = { filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 };

for (const [version, create] of FASTIFIES) {
  test(`${version}: tasks run from the instance and from a request, in named pools too`, async (t) => {
    const fastify = create();
    t.after(() => fastify.close());
    fastify.register(plimsollPool, tasks);
    fastify.register(plimsollPool, { ...tasks, namespace: 'doubling', name: 'twice' });
    fastify.get('/sum', (request) => request.runTask({ a: 4, b: 6 }));
    fastify.get('/twice', (request) => request.runTask(21, { name: 'twice' }));
    fastify.get('/named', (request) => request.runTask(21, { pool: 'doubling' }));
    fastify.get('/teapot', (request) => request.runTask(null, { name: 'throwTeapot' }));
    await fastify.ready();
    assert.equal(await fastify.runTask({ a: 1, b: 2 }), 3);
    assert.equal(await fastify.runTask(4, { pool: 'doubling' }), 8);
    assert.equal(await fastify.pool.run({ a: 1, b: 2 }), 3);
    assert.deepEqual(Object.keys(fastify.pools), ['default', 'doubling']);
    assert.equal(Object.values(fastify.pools)[0], fastify.pool);
    for (const [path, body] of Object.entries({ '/sum': '10', '/twice': '42', '/named': '42' }))
      assert.equal((await fastify.inject(path)).body, body);
    const teapot = await fastify.inject('/teapot');
    assert.deepEqual([teapot.statusCode, teapot.json().message], [418, 'a teapot']);
    await assert.rejects(fastify.runTask(1, { pool: 'nowhere' }), {
      code: 'PLIMSOLL_FASTIFY_NO_POOL',
      message: "There is no pool 'nowhere' in this context; it has 'default', 'doubling'",
    });
  });

  test(`${version}: a pool belongs to the context that it is registered in, and to its children`, async (t) => {
    const fastify = create();
    t.after(() => fastify.close());
    fastify.register(plimsollPool, tasks);
    let sibling: unknown;
    fastify.register(async (child) => {
      await child.register(plimsollPool, { ...tasks, namespace: 'inner', name: 'twice' });
      child.get('/inherited', (request) => request.runTask({ a: 1, b: 1 }));
      child.get('/inner', (request) => request.runTask(4, { pool: 'inner' }));
    });
    fastify.register(async (child) => {
      await child.register(plimsollPool, { ...tasks, name: 'twice' });
      child.get('/shadowed', (request) => request.runTask(5));
      child.get('/shadowed-instance', () => child.runTask(6));
      assert.notEqual(child.pool, fastify.pool);
    });
    fastify.register(async (child) => {
      sibling = child;
      child.get('/sibling', (request) => request.runTask(4, { pool: 'inner' }));
    });
    await fastify.ready();
    const bodyOf = async (path: string): Promise<string> => (await fastify.inject(path)).body;
    assert.equal(await bodyOf('/inherited'), '2');
    assert.equal(await bodyOf('/inner'), '8');
    assert.equal(await bodyOf('/shadowed'), '10');
    assert.equal(await bodyOf('/shadowed-instance'), '12');
    assert.match(await bodyOf('/sibling'), /PLIMSOLL_FASTIFY_NO_POOL/);
    assert.deepEqual(Object.keys((sibling as typeof fastify).pools), ['default']);
    assert.equal(await fastify.runTask({ a: 2, b: 2 }), 4);
  });

  test(`${version}: ready() rejects with what is wrong`, async () => {
    const cases: [options: object, expected: object][] = [
      [{ maxThreads: 0 }, { name: 'RangeError', code: 'PLIMSOLL_POOL_BAD_OPTION', message: /maxThreads/ }],
      [{ filename: 7 }, { name: 'TypeError', code: 'PLIMSOLL_POOL_BAD_OPTION', message: /filename/ }],
      [
        { ...tasks, namespace: '' },
        { code: 'PLIMSOLL_FASTIFY_BAD_OPTION', message: /namespace/ },
      ],
      [
        { ...tasks, queueFullStatus: 200 },
        { code: 'PLIMSOLL_FASTIFY_BAD_OPTION', message: /not 200/ },
      ],
      [
        { ...tasks, retryAfter: 1.5 },
        { code: 'PLIMSOLL_FASTIFY_BAD_OPTION', message: /retryAfter/ },
      ],
      [
        { ...tasks, metrics: 'metrics' },
        { code: 'PLIMSOLL_FASTIFY_BAD_OPTION', message: /metrics/ },
      ],
      [{ filename: fixture('nowhere.mjs') }, { code: 'PLIMSOLL_POOL_LOAD_FAILED', message: /nowhere\.mjs/ }],
      [{ filename: fixture('throws.mjs') }, { code: 'PLIMSOLL_POOL_LOAD_FAILED', message: /not today/ }],
      [{ filename: fixture('throws-undefined.mjs') }, { code: 'PLIMSOLL_POOL_LOAD_FAILED' }],
      [
        { filename: fixture('rejects.mjs') },
        { code: 'PLIMSOLL_POOL_LOAD_FAILED', message: /no initialisation today/ },
      ],
      [{ filename: fixture('exits.mjs') }, { name: 'WorkerError', exitCode: 3 }],
    ];
    for (const [options, expected] of cases) {
      const fastify = create();
      fastify.register(plimsollPool, options);
      await assert.rejects(async () => fastify.ready(), expected);
      await fastify.close();
    }
    const fastify = create();
    fastify.register(plimsollPool, { filename: fixture('throws.mjs') });
    const error = await Promise.resolve(fastify.ready()).then(
      () => assert.fail('it must not be ready'),
      (reason: Error) => reason,
    );
    assert.ok(error.cause instanceof RangeError, 'the true error is the cause');
    await fastify.close();
  });

  test(`${version}: a namespace is taken once in a context`, async () => {
    const fastify = create();
    fastify.register(plimsollPool, tasks).register(plimsollPool, tasks);
    await assert.rejects(async () => fastify.ready(), { code: 'PLIMSOLL_FASTIFY_POOL_EXISTS' });
    await fastify.close();
  });

  test(`${version}: an application that has decorated its instance or its requests so already is told so`, async () => {
    const decorations: ((fastify: ReturnType<typeof create>) => unknown)[] = [
      (fastify) => fastify.decorateRequest('runTask', null as never),
      (fastify) => fastify.decorate('runTask', null as never),
      (fastify) => fastify.decorate('pools', {} as never),
      (fastify) => fastify.decorate('pool', null as never),
    ];
    for (const decorate of decorations) {
      const fastify = create();
      decorate(fastify);
      fastify.register(plimsollPool, tasks);
      await assert.rejects(async () => fastify.ready(), { code: 'FST_ERR_DEC_ALREADY_PRESENT' });
      await fastify.close();
    }
  });

  test(`${version}: pools of something else in a parent or a child are not taken for pools of workers`, async (t) => {
    const fastify = create();
    t.after(() => fastify.close());
    fastify.decorate('pools', { main: 'of connections' } as never);
    fastify.register(async (child) => {
      await child.register(plimsollPool, { ...tasks, metrics: '/metrics' });
      assert.deepEqual(Object.keys(child.pools), ['default']);
      child.register(async (grandchild) => {
        grandchild.decorate('pools', { default: 'of connections' } as never);
        grandchild.get('/', (request) => request.runTask({ a: 1, b: 2 }));
      });
    });
    assert.equal((await fastify.inject('/')).body, '3');
    assert.equal((await fastify.inject('/metrics')).statusCode, 200);
    assert.deepEqual(fastify.pools, { main: 'of connections' });
  });

  test(`${version}: options of a request's task are checked as those of the pool`, async (t) => {
    const fastify = create();
    t.after(() => fastify.close());
    fastify.register(plimsollPool, tasks);
    fastify.get('/', (request) => request.runTask(null, { signal: {} as never }));
    assert.equal((await fastify.inject('/')).json().code, 'PLIMSOLL_POOL_BAD_OPTION');
  });

  test(`${version}: a task that cannot be ended makes close() reject, and nothing else`, async (t) => {
    const fifo = fifoFor(t);
    const fastify = create();
    fastify.register(plimsollPool, { ...tasks, closeTimeout: 20 });
    await fastify.ready();
    const failed = fastify.runTask(fifo.path, { name: 'read' }).catch(({ code }) => code);
    await until(() => fifo.isRead());
    await assert.rejects(async () => fastify.close(), { code: 'PLIMSOLL_POOL_CLOSE_TIMEOUT' });
    assert.equal(await failed, 'PLIMSOLL_POOL_CLOSED');
    // By now Node would have told of a rejection that nobody handles, which fails the test.
    await new Promise(setImmediate);
  });

  test(`${version}: close() sets one limit, also with a child context that was registered before`, async (t) => {
    const closeTimeout = 12_345;
    const fastify = create();
    fastify.register(async () => {});
    fastify.register(plimsollPool, { ...tasks, closeTimeout });
    await fastify.ready();
    const { mock } = t.mock.method(globalThis, 'setTimeout');
    await fastify.close();
    assert.equal(mock.calls.filter((call) => call.arguments[1] === closeTimeout).length, 1);
  });

  test(`${version}: a full queue is answered with 503 and Retry-After, or as configured`, async (t) => {
    for (const [options, status, retryAfter] of [
      [{}, 503, '1'],
      [{ queueFullStatus: 429, retryAfter: 30 }, 429, '30'],
      [{ retryAfter: false }, 503, undefined],
    ] as const) {
      const gate = gated({ maxQueue: 0, ...options });
      const fastify = create();
      t.after(() => fastify.close());
      fastify.register(plimsollPool, gate.options);
      fastify.get('/', (request) => request.runTask(null, { name: 'waitForGate' }));
      fastify.get('/instance', () => fastify.runTask({ a: 1, b: 2 }));
      await fastify.ready();
      const first = fastify.inject('/');
      await gate.begun(1);
      for (const path of ['/', '/instance']) {
        const refused = await fastify.inject(path);
        assert.equal(refused.statusCode, status);
        assert.equal(refused.headers['retry-after'], retryAfter);
        assert.equal(refused.json().code, 'PLIMSOLL_POOL_QUEUE_FULL');
      }
      gate.open();
      assert.equal((await first).body, 'through');
      assert.equal((await fastify.inject('/instance')).body, '3');
    }
  });
}

test('the check of the worker file leaves no trace in the statistics of times', async (t) => {
  const [[, create]] = FASTIFIES as [(typeof FASTIFIES)[number]];
  const fastify = create();
  t.after(() => fastify.close());
  await fastify.register(plimsollPool, tasks);
  assert.ok(Number.isNaN(fastify.pool.histogram.waitTime.mean));
  assert.ok(Number.isNaN(fastify.pool.histogram.runTime.mean));
});
