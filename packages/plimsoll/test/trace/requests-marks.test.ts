import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mark } from 'plimsoll/mark';
import { ends, recordRequests, took } from '../support/requests.js';

const together = {
  ...(process.platform === 'linux' ? {} : { skip: 'threads are told apart by /proc' }),
  concurrency: 2,
};

describe('marks', together, () => {
  test('give what the function gives, and end when it has settled', async () => {
    const { requests, result, seen } = await recordRequests('marks', 'results');
    const { same, ...more } = result as { same: Record<string, boolean> };
    for (const [name, isSame] of Object.entries(same)) assert.ok(isSame, name);
    assert.deepEqual(more, {
      isPromise: true,
      lazy: 'value',
      begun: 1,
      mine: 'mine',
      thrown: true,
      resolved: 'value',
      rejected: ['threw', 'no'],
    });
    assert.deepEqual(ends(requests), [
      ...['lazy answered', 'sync answered', 'mine answered', 'extended answered', 'frozen answered'],
      ...['null answered', 'function answered', 'throws failed', 'promise answered', 'resolves answered'],
      'rejects failed',
    ]);
    assert.deepEqual(
      [...new Set(requests.map(({ kind, connection }) => `${kind} ${connection}`))],
      ['mark null'],
    );
    const longest = requests.find(({ route }) => route === 'resolves');
    assert.ok(took(longest) > 35, 'it sleeps for 40 ms');
    assert.ok(took(requests[0]) > 15, 'what begins when it is asked for ends when it is there');
    assert.deepEqual([seen.lazy, seen.resolves], [[1], [10]]);
  });

  test('what runs in one knows which, within others and beside them', async () => {
    const { requests, seen } = await recordRequests('marks', 'contexts');
    assert.deepEqual(
      requests.map(({ kind, route }) => `${kind} ${route}`),
      [
        ...['mark outer', 'mark inner', 'mark parallel', 'mark parallel', 'mark parallel'],
        ...['http GET /', 'mark in a request'],
      ],
    );
    assert.deepEqual(seen, {
      outside: [0, 0],
      outer: [1, 1],
      inner: [2],
      'parallel 3': [5],
      'parallel 2': [4],
      'parallel 1': [3],
      'in a request': [7],
      request: [6],
    });
  });

  test('a rejection that nobody handles is reported, one that somebody handles is not', async () => {
    const { requests, result } = await recordRequests('marks', 'unhandled');
    assert.deepEqual(result, ['nobody']);
    assert.deepEqual(ends(requests), ['nobody failed', 'somebody failed']);
  });

  test('beyond 100,000 none is recorded, which is said; beyond 200 names they share one', async () => {
    const { requests, notes, result, seen } = await recordRequests('marks', 'many');
    assert.equal(result, 100_007, 'all ran');
    assert.equal(requests.length, 100_000);
    assert.deepEqual(notes, [{ id: 'trace.requests-bound', count: 7 }]);
    assert.deepEqual(seen.ran, [1, 100_000, 0]);
    const counts = new Map<string, number>();
    for (const { route } of requests) counts.set(route, (counts.get(route) ?? 0) + 1);
    assert.equal(counts.size, 201);
    assert.deepEqual([counts.get('job-199'), counts.get('(other)')], [100, 80_000]);
  });

  test('names are printable and short', async () => {
    const { requests } = await recordRequests('marks', 'names');
    assert.deepEqual(
      requests.map(({ route }) => route),
      [
        ...['(unnamed)', 'a\\x1b[31m\\x0ab', '\ufffd', `${'x'.repeat(159)}…`],
        ...['(unnamed)', '(unnamed)', 'ok'],
      ],
    );
  });

  test('without a recorder the function is called and nothing else', async () => {
    const { result } = await recordRequests('marks', 'untraced');
    assert.deepEqual(result, [true, true]);
    const promise = Promise.resolve();
    assert.equal(
      mark('a', () => promise),
      promise,
    );
    assert.throws(
      () =>
        mark('a', () => {
          throw new Error('own');
        }),
      /^Error: own$/,
    );
  });
});
