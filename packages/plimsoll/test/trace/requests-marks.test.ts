import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mark } from 'plimsoll/mark';
import { parseProcessLogs } from '#plimsoll/trace/process-log.js';
import { reduce } from '#plimsoll/trace/reduce.js';
import { fixture } from '../support/cli.js';
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

  test('of a sample, every name has its share', () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    try {
      const preload = fileURLToPath(new URL('../../dist/trace/child/preload.cjs', import.meta.url));
      const settings = { directory, maxEvents: 1000, sampleMs: 50, sample: 0.25 };
      const said = join(directory, 'said');
      const { status, stderr } = spawnSync(
        process.execPath,
        ['--require', preload, fixture('trace/requests/marks.cjs'), said, 'sampled'],
        { env: { ...process.env, PLIMSOLL_TRACE: JSON.stringify(settings) }, encoding: 'utf8' },
      );
      assert.equal(status, 0, stderr);
      const log = readdirSync(directory).find((name) => name.endsWith('.jsonl')) ?? '';
      const [recording] = parseProcessLogs(readFileSync(join(directory, log), 'utf8'));
      assert.ok(recording !== undefined);
      const { requests } = reduce(recording, 0).process;
      assert.equal(requests.length, 160);
      const { seen } = JSON.parse(readFileSync(said, 'utf8')) as { seen: Record<string, number[]> };
      for (const name of ['a', 'b', 'c', 'd']) {
        const own = requests.flatMap(({ route, sampled }, index) =>
          route === name ? [{ sampled, index }] : [],
        );
        const sampled = own.filter((one) => one.sampled);
        assert.ok(Math.abs(sampled.length - 10) <= 1, `${sampled.length} of 40`);
        assert.deepEqual(
          seen[name],
          own.map((one) => (one.sampled ? one.index + 1 : 0)),
        );
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
