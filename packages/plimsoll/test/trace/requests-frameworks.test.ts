import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ends, recordRequests, took } from '../support/requests.js';

const together = {
  ...(process.platform === 'linux' ? {} : { skip: 'threads are told apart by /proc' }),
  concurrency: 2,
};

const patternOf = (framework: string, pattern: string): string =>
  framework === 'hapi' ? pattern.replaceAll(/:(\w+)/g, '{$1}') : pattern;

describe('routes are named by the pattern that the framework knows', together, () => {
  for (const name of [
    'express-5',
    'express-4',
    'fastify-5',
    'fastify-4',
    'hapi',
    'koa',
    'koa-imported',
    'nest',
  ])
    test(name, async () => {
      const { requests, result, seen } = await recordRequests('frameworks', name);
      assert.deepEqual(result, [200, 200, 200, 200, 500, 401, 404]);
      const [user, item] = [patternOf(name, '/users/:name'), patternOf(name, '/api/shops/:shop/items/:item')];
      assert.deepEqual(ends(requests), [
        ...['GET / answered', `GET ${user} answered`, `GET ${user} answered`, `GET ${item} answered`],
        ...['GET /fails failed', 'GET /private answered'],
        // Hapi has a route for what has none.
        name === 'hapi' ? 'GET /{p*} answered' : 'GET /no/such answered',
      ]);
      assert.deepEqual([seen['/users/anna'], seen['/users/otto?full=1']], [[2], [3]]);
    });
});

describe('spans of OpenTelemetry', together, () => {
  test('a span from outside is a request, unless it is one over HTTP, which it names', async () => {
    const { requests, seen, result } = await recordRequests('spans');
    assert.deepEqual(
      requests.map(({ kind, route, end }) => `${kind} ${route} ${end}`),
      [
        ...['http GET /things/:thing answered', 'http GET /things/:thing answered'],
        ...['span job answered', 'span bad job failed', 'span never ends unfinished'],
      ],
    );
    assert.deepEqual(
      requests.map(({ connection }) => connection),
      [1, 1, null, null, null],
    );
    assert.ok(took(requests[2]) > 15, 'its work took 20 ms');
    assert.deepEqual(seen, {
      '/things/blue': [1],
      '/things/red': [2],
      inner: [1, 2],
      'part of job': [3],
      outside: [0],
    });
    const own = ['inner', 'GET', 'inner', 'GET', 'part of job', 'job', 'bad job', 'by itself'];
    assert.deepEqual(result, {
      ended: [...own, 'without options'],
      keys: ['version', 'trace', 'context'],
    });
  });
});
