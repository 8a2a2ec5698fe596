import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ends, recordRequests, took } from '../support/requests.js';

const linux = process.platform === 'linux' ? {} : { skip: 'threads are told apart by /proc' };
/** Each test is a program of its own, which mostly waits. */
const together = { ...linux, concurrency: 2 };

describe('requests over HTTP/1', together, () => {
  test('one connection asks several times; all that runs for a request knows which it is', async () => {
    const { requests, seen } = await recordRequests('http1', 'keep-alive');
    assert.deepEqual(
      ends(requests),
      ['/a', '/b', '/c', '/d'].map((path) => `GET ${path} answered`),
    );
    assert.deepEqual(
      requests.map(({ connection }) => connection),
      [1, 1, 1, 2],
    );
    const ran = ['handler', 'tick', 'await', 'immediate', 'timer', 'later', 'finish', 'ended'];
    assert.deepEqual(
      Object.fromEntries(Object.entries(seen).sort()),
      Object.fromEntries(
        ['/a', '/b', '/c', '/d']
          .flatMap((path, index) => ran.map((name) => [`${path} ${name}`, [index + 1]]))
          .sort(),
      ),
    );
    for (const [index, request] of requests.entries()) {
      assert.deepEqual([request.kind, request.sampled], ['http', true]);
      // Its handler sleeps for 5 ms, of which a timer may leave out a part of the first.
      assert.ok(took(request) > 3, String(took(request)));
      const next = requests[index + 1];
      assert.ok(next === undefined || (request.endMs ?? 0) <= next.startMs, 'asked after the answer');
    }
  });

  test('a body that comes later, and a download that stood still, belong to their requests', async () => {
    const bodies = await recordRequests('http1', 'bodies');
    for (const [index, path] of ['/events', '/iterated'].entries()) {
      const data = bodies.seen[`${path} data`] ?? [];
      assert.ok(data.length >= 1 && data.every((request) => request === index + 1), `${path}: ${data}`);
      assert.deepEqual(bodies.seen[`${path} end`], [index + 1]);
      // From the headers on: three parts came 20 ms apart.
      assert.ok(took(bodies.requests[index]) > 50);
    }
    const { result, seen, requests } = await recordRequests('http1', 'download');
    const { before } = result as { before: number };
    assert.ok(before < 8_000_000, 'the client made the server wait');
    assert.ok((seen['/large read']?.length ?? 0) > before / 65_536);
    assert.deepEqual([...new Set(seen['/large read'])], [1]);
    assert.ok(took(requests[0]) > 90, 'to the last byte');
  });

  test('pipelined requests are told apart, and end in the order of their answers', async () => {
    const { requests, seen, result } = await recordRequests('http1', 'pipelined');
    assert.deepEqual(result, ['/first', '/second', '/third']);
    assert.deepEqual(
      ends(requests),
      ['/first', '/second', '/third'].map((path) => `GET ${path} answered`),
    );
    for (const [index, path] of ['/first', '/second', '/third'].entries())
      assert.deepEqual([seen[path], seen[`${path} later`]], [[index + 1], [index + 1]]);
    assert.deepEqual([...new Set(requests.map(({ connection }) => connection))], [1]);
    // All came in one packet, and the first answer took 60 ms: no other could be sent before.
    assert.equal(new Set(requests.map(({ startMs }) => startMs)).size, 1);
    for (const request of requests) assert.ok(took(request) > 55);
  });

  test('every request has its end', async () => {
    const { requests, seen } = await recordRequests('http1', 'ends');
    assert.deepEqual(ends(requests), [
      ...[200, 204, 304, 404].map(() => 'GET /status/:id answered'),
      ...['GET /status/:id failed', 'GET /status/:id failed', 'HEAD /status/:id answered'],
      ...['GET /destroyed failed', 'GET /socket-destroyed failed', 'PUT /continued answered'],
      ...['GET /waits aborted', 'GET /half aborted', 'GET /reset aborted', 'GET /never unfinished'],
    ]);
    assert.deepEqual(seen['/continued'], [10]);
    assert.equal(requests.at(-1)?.endMs, null);
    for (const request of requests.slice(-4, -1)) assert.ok(took(request) > 30, 'the client waited 40 ms');
  });

  test('requests that wait behind another end with their connection', async () => {
    const { requests } = await recordRequests('http1', 'pipelined-aborted');
    assert.deepEqual(ends(requests), ['GET /first aborted', 'GET /second aborted']);
  });

  test('a handler that throws leaves its request open, and nothing else in it', async () => {
    const { requests, seen, result } = await recordRequests('http1', 'throws');
    assert.deepEqual(result, ['of /one', 'of /two']);
    assert.deepEqual(ends(requests), ['GET /one aborted', 'GET /two unfinished']);
    assert.deepEqual(seen.after, [0]);
  });

  test('an upgrade ends when it is answered; what the connection carries then is not of it', async () => {
    const { requests, seen } = await recordRequests('http1', 'upgrades');
    assert.deepEqual(ends(requests), [
      ...['GET /fast upgraded', 'GET /slow upgraded', 'GET /refused answered', 'GET /broken failed'],
      ...['GET /destroyed failed', 'CONNECT upgraded'],
    ]);
    assert.ok(took(requests[1]) > 50, 'it was granted after 60 ms');
    assert.deepEqual([seen['/slow handler'], seen['/slow message']], [[2], [0]]);
    assert.deepEqual(seen['/fast own write: false'], [1]);
  });

  test('a request that goes on for more than a second is named', async () => {
    const { requests } = await recordRequests('http1', 'stream');
    assert.deepEqual(ends(requests), ['GET /events/:id unfinished']);
  });

  test('requests that were there together count from the first that was taken', async () => {
    const { requests } = await recordRequests('http1', 'burst');
    assert.equal(requests.length, 10);
    assert.equal(new Set(requests.map(({ connection }) => connection)).size, 10);
    // Each holds the event loop for 20 ms. One or two may have come a turn later.
    const starts = new Set(requests.map(({ startMs }) => startMs));
    assert.ok(starts.size <= 3, `${starts.size} starts`);
    assert.ok(took(requests.at(-1)) > 100);
  });

  test('a server that was started by a request does not serve for that request', async () => {
    const { requests, seen } = await recordRequests('http1', 'nested');
    assert.equal(requests.length, 5);
    for (const index of [1, 2, 3, 4]) assert.deepEqual(seen[`/inner/${index}`], [index + 1]);
  });

  test('events of the same names that are none of HTTP pass as they are', async () => {
    const { requests, result } = await recordRequests('http1', 'others');
    assert.deepEqual(requests, []);
    assert.deepEqual(result, [
      ['request'],
      ['request', 1, 2, 3],
      ['stream', null],
      ['upgrade', {}, null],
      ['checkContinue', {}, {}],
    ]);
  });
});

describe('requests over HTTP/2', together, () => {
  test('streams have their ends, and what runs for them knows which it is', async () => {
    const { requests, seen } = await recordRequests('http2', 'streams');
    assert.deepEqual(ends(requests), [
      ...['GET /one answered', 'GET /two answered', 'POST /posted answered', 'HEAD /head answered'],
      ...['GET /fails failed', 'GET /bare answered', 'GET /reset failed', 'GET /closed failed'],
      ...['GET /destroyed failed', 'GET /waits aborted', 'GET /waits aborted', 'GET /waits aborted'],
      'GET /waits unfinished',
    ]);
    assert.deepEqual(
      requests.map(({ connection }) => connection),
      [...Array.from({ length: 11 }, () => 1), 2, 3],
    );
    assert.deepEqual([...new Set(requests.map(({ kind }) => kind))], ['http2']);
    assert.deepEqual([seen['/one later'], seen['/two later'], seen['/posted data']], [[1], [2], [3]]);
  });

  test('the interface of requests and responses is the same', async () => {
    const { requests, seen } = await recordRequests('http2', 'compat');
    assert.deepEqual(ends(requests), [
      ...['GET /users/:id answered', 'GET /users/:id answered', 'POST /posted answered', 'GET /fails failed'],
    ]);
    assert.deepEqual(
      ['/users/1 later', '/users/2 ended', '/posted data', '/fails later'].map((name) => seen[name]),
      [[1], [2], [3], [4]],
    );
  });

  test('over TLS, both protocols at one server, and https', async () => {
    const { requests, seen } = await recordRequests('http2', 'secure');
    assert.deepEqual(
      requests.map(({ kind, route, end, connection }) => [kind, route, end, connection]),
      [
        ['http2', 'GET /two', 'answered', 1],
        ['http', 'GET /one', 'answered', 2],
        ['http', 'GET /https', 'answered', 3],
      ],
    );
    assert.deepEqual([seen['/two later'], seen['/one later'], seen['/https ended']], [[1], [2], [3]]);
  });
});

test('processes of a cluster, and threads of each, record their own', linux, async () => {
  const { processes } = await recordRequests('processes');
  const serving = processes.filter(({ requests }) => requests.length > 0);
  assert.ok(serving.length >= 1 && serving.length <= 2, 'the primary answers nothing');
  const all = serving.flatMap(({ pid, requests }) =>
    requests.map(({ loopThread, ...request }) => ({ ...request, pid, inThread: loopThread !== pid })),
  );
  for (const inThread of [false, true]) {
    const own = all.filter((request) => request.inThread === inThread);
    const expected = ['a', 'b', 'c'].flatMap((path) => [`GET /${path} answered`, `GET /${path} answered`]);
    assert.deepEqual(ends(own).sort(), [...expected, 'GET /waits unfinished', 'GET /waits unfinished']);
  }
  for (const { requests } of serving) {
    const threadOf = new Map(requests.map(({ connection, loopThread }) => [connection, loopThread]));
    for (const { connection, loopThread } of requests) assert.equal(threadOf.get(connection), loopThread);
    const starts = requests.map(({ startMs }) => startMs);
    assert.deepEqual(
      starts,
      starts.toSorted((a, b) => a - b),
    );
  }
});
