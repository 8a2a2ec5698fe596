import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
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
    test(`${version}: a client that disconnects ends its ${method} request's task, and nothing else`, async (t) => {
      const gate = gated();
      const fastify = create();
      t.after(() => fastify.close());
      fastify.register(plimsollPool, gate.options);
      const failures: (Error & { code?: string; statusCode?: number })[] = [];
      fastify.addHook('onError', async (_, __, error) => void failures.push(error as never));
      const handler = (request: { runTask: FastifyInstance['runTask'] }): Promise<unknown> =>
        request.runTask(null, { name: 'waitForGate' });
      fastify.get('/', handler);
      fastify.post('/', handler);
      fastify.get('/sum', (request) => request.runTask({ a: 1, b: 2 }));
      await fastify.listen({ port: 0, host: '127.0.0.1' });
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
    });
  }

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
