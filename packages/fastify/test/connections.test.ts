import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { plimsollPool } from '@plimsoll/fastify';
import type { FastifyInstance } from 'fastify';
import { FASTIFIES, gated, until } from './support.js';

const portOf = ({ server }: FastifyInstance): number => (server.address() as AddressInfo).port;

async function send(fastify: FastifyInstance, request: string): Promise<Socket> {
  const socket = connect(portOf(fastify), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(request);
  return socket;
}

/** On a connection of its own, for which the server's farewell need not wait afterwards. */
async function statusOf(port: number): Promise<number | undefined> {
  const [response] = (await once(get({ host: '127.0.0.1', port, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  response.resume();
  return response.statusCode;
}

const REQUESTS = {
  GET: 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  // Node closes a request whose body has been read, which must not pass for a disconnection.
  POST: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
};

for (const [version, create] of FASTIFIES) {
  for (const [method, request] of Object.entries(REQUESTS)) {
    test(`${version}: a client that disconnects has its ${method} request's task asked to end, and no other`, async (t) => {
      const gate = gated();
      const fastify = create();
      t.after(() => fastify.close());
      fastify.register(plimsollPool, gate.options);
      const failures: (Error & { code?: string; statusCode?: number })[] = [];
      fastify.addHook('onError', async (_, __, error) => void failures.push(error as never));
      const handler = (request: { runTask: FastifyInstance['runTask'] }): Promise<unknown> =>
        request.runTask(null, { name: 'waitUnlessAborted' });
      fastify.get('/', handler);
      fastify.post('/', handler);
      fastify.get('/sum', (request) => request.runTask({ a: 1, b: 2 }));
      await fastify.listen({ port: 0, host: '127.0.0.1' });
      const thread = await fastify.runTask(null, { name: 'thread' });
      const socket = await send(fastify, request);
      await gate.begun(1);
      const behind = fastify.inject('/sum');
      socket.destroy();
      assert.equal((await behind).body, '3');
      await until(() => failures.length > 0);
      const [failure] = failures;
      assert.equal(failure?.code, 'PLIMSOLL_POOL_ABORTED');
      assert.equal((failure?.cause as Error | undefined)?.name, 'ClientGone');
      assert.equal(failure?.statusCode, 499);
      assert.equal(failures.length, 1);
      assert.equal(await fastify.runTask(null, { name: 'thread' }), thread);
    });
  }

  test(`${version}: of a client that disconnects, requests that it has sent ahead have their tasks asked to end, too`, async (t) => {
    const gate = gated({ minThreads: 3, maxThreads: 3 });
    const fastify = create();
    t.after(() => fastify.close());
    fastify.register(plimsollPool, gate.options);
    const failures: unknown[] = [];
    fastify.addHook('onError', async (_, __, { code }) => void failures.push(code));
    fastify.get('/', (request) => request.runTask(null, { name: 'waitUnlessAborted' }));
    fastify.post('/', (request) => request.runTask(null, { name: 'waitUnlessAborted' }));
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    const socket = await send(fastify, REQUESTS.GET + REQUESTS.POST + REQUESTS.GET);
    await gate.begun(3);
    socket.destroy();
    // The gate is shut: they end when they are asked to, or when the test has failed.
    t.after(() => gate.open());
    await until(() => failures.length === 3);
    assert.deepEqual(failures, Array(3).fill('PLIMSOLL_POOL_ABORTED'));
  });

  test(`${version}: clients that leave end no thread, and what waits for them never runs`, async (t) => {
    const gate = gated();
    const fastify = create();
    t.after(() => fastify.close());
    fastify.register(plimsollPool, gate.options);
    fastify.get('/', (request) => request.runTask(null, { name: 'waitForGate' }));
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    const thread = await fastify.runTask(null, { name: 'thread' });
    const sockets = await Promise.all([1, 2, 3].map(() => send(fastify, REQUESTS.GET)));
    await until(() => fastify.pool.queueSize === 2);
    await gate.begun(1);
    for (const socket of sockets) socket.destroy();
    await until(() => fastify.pool.queueSize === 0);
    gate.open();
    assert.equal(await fastify.runTask(null, { name: 'thread' }), thread);
    await gate.begun(1);
    assert.equal(gate.count(), 1);
  });

  test(`${version}: a limit that the application sets ends the thread`, async (t) => {
    const gate = gated();
    const fastify = create();
    t.after(() => fastify.close());
    fastify.register(plimsollPool, gate.options);
    fastify.get('/', (request) => request.runTask(null, { name: 'waitForGate', timeout: 300 }));
    assert.equal((await fastify.inject('/')).json().code, 'PLIMSOLL_POOL_TIMEOUT');
    // The gate is shut: the one worker can only take this when it has been replaced.
    assert.equal(await fastify.runTask({ a: 1, b: 2 }), 3);
  });

  test(`${version}: a request may run many tasks at once, also with signals of its own`, async (t) => {
    const fastify = create();
    t.after(() => fastify.close());
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    t.after(() => process.off('warning', note));
    fastify.register(plimsollPool, gated().options);
    const { signal } = new AbortController();
    const numbers = Array.from({ length: 30 }, (_, a) => a);
    fastify.get('/', (request) => Promise.all(numbers.map((a) => request.runTask({ a, b: 0 }))));
    fastify.get('/signal', (request) =>
      Promise.all([1, 2].map((a) => request.runTask({ a, b: 0 }, { signal }))),
    );
    assert.deepEqual((await fastify.inject('/')).json(), numbers);
    assert.deepEqual((await fastify.inject('/signal')).json(), [1, 2]);
    await new Promise(setImmediate);
    assert.deepEqual(warnings, []);
  });

  test(`${version}: a hook that was added before the plugin has request.runTask, too`, async (t) => {
    const gate = gated();
    const fastify = create();
    t.after(() => fastify.close());
    const failures: unknown[] = [];
    fastify.addHook('onRequest', async (request) => {
      const sum = await request.runTask({ a: 1, b: 2 });
      if (request.url === '/') assert.equal(sum, 3);
      else
        failures.push(
          await request.runTask(null, { name: 'waitUnlessAborted' }).catch((error) => error.code),
        );
    });
    fastify.register(plimsollPool, gate.options);
    fastify.get('/', (request) => request.runTask({ a: 3, b: 4 }));
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    assert.equal((await fastify.inject('/')).body, '7');
    const socket = await send(fastify, REQUESTS.GET.replace('/', '/leaves'));
    await gate.begun(1);
    socket.destroy();
    await until(() => failures.length > 0);
    assert.deepEqual(failures, ['PLIMSOLL_POOL_ABORTED']);
  });

  test(`${version}: a task of the instance outlives its request; a signal of one's own still works`, async (t) => {
    const gate = gated();
    const fastify = create();
    t.after(() => fastify.close());
    fastify.register(plimsollPool, gate.options);
    const results: unknown[] = [];
    fastify.get('/', async () => {
      results.push(await fastify.runTask(null, { name: 'waitForGate' }));
      return null;
    });
    const own = new AbortController();
    fastify.get('/own', (request) => request.runTask(null, { name: 'waitForGate', signal: own.signal }));
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    const socket = await send(fastify, REQUESTS.GET);
    await gate.begun(1);
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    const aborted = fastify.inject('/own');
    await until(() => fastify.pool.queueSize > 0);
    own.abort();
    assert.equal((await aborted).json().code, 'PLIMSOLL_POOL_ABORTED');
    gate.open();
    await until(() => results.length > 0);
    assert.deepEqual(results, ['through']);
  });

  for (const end of ['graceful', 'forced'] as const) {
    test(`${version}: ${end} close during load answers every request`, async () => {
      const gate = gated(end === 'forced' ? { closeTimeout: 20 } : {});
      const fastify = create({ return503OnClosing: true });
      fastify.register(plimsollPool, gate.options);
      fastify.get('/', (request) => request.runTask(null, { name: 'waitForGate' }));
      await fastify.listen({ port: 0, host: '127.0.0.1' });
      const answers = Array.from({ length: 20 }, () => statusOf(portOf(fastify)));
      await until(() => fastify.pool.queueSize === 19);
      const closing = fastify.close();
      if (end === 'graceful') gate.open();
      const statuses = await Promise.all(answers);
      assert.deepEqual([...new Set(statuses)], [end === 'graceful' ? 200 : 503]);
      await closing;
      assert.equal(fastify.pool.threads.length, 0);
      await assert.rejects(fastify.runTask({ a: 1, b: 2 }), {
        code: 'PLIMSOLL_POOL_CLOSED',
        statusCode: 503,
      });
    });
  }
}

const [[, newest]] = FASTIFIES as [(typeof FASTIFIES)[number]];

test('over HTTP/2 a stream that the client closes ends its task', async (t) => {
  const gate = gated();
  const fastify = newest({ http2: true });
  t.after(() => fastify.close());
  fastify.register(plimsollPool, gate.options);
  const failures: Error[] = [];
  fastify.addHook('onError', async (_, __, error) => void failures.push(error));
  fastify.get('/', (request) => request.runTask(null, { name: 'waitUnlessAborted' }));
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const session = connectHttp2(`http://127.0.0.1:${portOf(fastify)}`);
  // Closing the server waits for it on older lines of Node.
  session.unref();
  const stream = session.request({ ':path': '/' });
  stream.on('error', () => {});
  await gate.begun(1);
  stream.close();
  // The gate is shut: the one worker can only take this when the first has ended.
  assert.equal(await fastify.runTask({ a: 1, b: 2 }), 3);
  await until(() => failures.length > 0);
  session.destroy();
  assert.equal((failures[0]?.cause as Error | undefined)?.name, 'ClientGone');
});

test("Fastify's own handlerTimeout ends the task, too", async (t) => {
  const gate = gated();
  const fastify = newest({ forceCloseConnections: true });
  t.after(() => fastify.close());
  fastify.register(plimsollPool, gate.options);
  // Of a request with a body Fastify 5.12.8 forgets the limit as soon as the body has been read.
  fastify.get('/', { handlerTimeout: 500 }, (request) =>
    request.runTask(null, { name: 'waitUnlessAborted' }),
  );
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const socket = await send(fastify, REQUESTS.GET);
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  await until(() => answer.includes('\r\n\r\n') && answer.includes('FST_ERR'));
  assert.match(answer, /^HTTP\/1\.1 503 .*FST_ERR_HANDLER_TIMEOUT/s);
  assert.equal(await fastify.runTask({ a: 1, b: 2 }), 3);
  socket.destroy();
});
