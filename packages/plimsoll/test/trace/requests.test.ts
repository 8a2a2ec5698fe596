import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import labels from '#plimsoll/target/child/labels.cjs';
import type { RequestRow, RequestsLine, RouteLine } from '#plimsoll/trace/child/requests/lines.cjs';
import table from '#plimsoll/trace/child/requests/table.cjs';
import { tracedRequests } from '#plimsoll/trace/requests.js';

const { LONGEST, MOST_ROUTES, OTHER, pathPattern, Routes } = labels;

describe('the route of a URL', () => {
  const same = ['/', '/users', '/v1/users', '/api/v2/items', '/a/b/c', '/.well-known/acme', '/facade', ''];
  for (const url of same) test(`"${url}" stays`, () => assert.equal(pathPattern(url), url));
  const patterns = {
    '/users/42': '/users/:id',
    '/users/42/': '/users/:id/',
    '/users/42?full=1#top': '/users/:id',
    '/a?b=/c/d': '/a',
    '/0b8f1c1e-5f1d-4c5e-9f36-2f6a3c1d9e77/edit': '/:id/edit',
    '/commit/1a410efbd13591db07496601ebc7a059dd55cfe9': '/commit/:id',
    '/t/01J9ZK4A2Y8W7V6T5S4R3Q2P1N': '/t/:id',
    '/orders/order-20241125': '/orders/:id',
    '/day/2024-11-25': '/day/:id',
    '/v1/things/007/parts/12': '/v1/things/:id/parts/:id',
    'http://example.com/users/7': '/users/:id',
    'https://example.com': '',
    '*': '*',
    [`/${'long'.repeat(20)}`]: '/:id',
  };
  for (const [url, pattern] of Object.entries(patterns))
    test(`"${url.slice(0, 60)}" is ${pattern}`, () => assert.equal(pathPattern(url), pattern));
});

/** Names that were told, with the numbers that they were told under. */
const told = (): { names: Map<number, string>; routes: InstanceType<typeof Routes> } => {
  const names = new Map<number, string>();
  const routes = new Routes((route, name) => {
    assert.ok(!names.has(route), 'told once');
    names.set(route, name);
  });
  return { names, routes };
};

const AT = { ppid: 1, node: '24.0.0', libuv: '1.50.0', arch: 'x64', script: null, sizeText: null } as const;
const head = { type: 'process', at: 0, pid: 100, ...AT } as const;
const clock = (us: number): number => us / 1000;
const routeLine = (thread: number, route: number, name: string): RouteLine => ({
  type: 'route',
  thread,
  route,
  name,
});
const requestsLine = (thread: number, rows: readonly RequestRow[], dropped = 0): RequestsLine => ({
  type: 'requests',
  thread,
  rows,
  dropped,
});
const ANSWERED = table.ENDS.indexOf('answered');
const UNFINISHED = table.ENDS.indexOf('unfinished');

describe('routes are bounded, whatever is asked for', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3000 }),
    fc.string({
      unit: fc.constantFrom('/', '?', '\u0000', '\u001b', '\ud800', 'é', '7', '%', 'a'),
      maxLength: 60,
    }),
    fc.webUrl(),
    fc.webPath(),
  );

  test('a label is short and well-formed, and of a report printable', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anything, anything), { maxLength: 40 }), (asked) => {
        const { names, routes } = told();
        const numbers = asked.map(([method, url]) => routes.ofUrl(method, url));
        for (const number of numbers) assert.ok(names.has(number), 'told before it is used');
        // The same again has the same number.
        assert.deepEqual(
          asked.map(([method, url]) => routes.ofUrl(method, url)),
          numbers,
        );
        for (const name of names.values()) {
          assert.ok(name.length <= LONGEST, `${name.length} long`);
          assert.doesNotMatch(name, /\p{Surrogate}/u);
        }
        const lines = [...names].map(([route, name]) => routeLine(1, route, name));
        const rows = numbers.map((route, at): RequestRow => [at + 1, 0, 1, 1, at, ANSWERED, at + 1, route]);
        const { requests } = tracedRequests(
          { process: head, requests: [requestsLine(1, rows)], routes: lines },
          clock,
        );
        assert.equal(requests.length, rows.length);
        for (const { route } of requests) assert.doesNotMatch(route, /\p{Cc}/u);
      }),
    );
  });

  test('the first 200 keep their names, all others share one', () => {
    const { names, routes } = told();
    const letters = (n: number): string => String.fromCharCode(97 + (n % 26), 97 + Math.trunc(n / 26));
    const numbers = Array.from({ length: 300 }, (_, index) => routes.ofUrl('GET', `/${letters(index)}`));
    assert.equal(names.size, MOST_ROUTES + 1);
    assert.equal(new Set(numbers).size, MOST_ROUTES + 1);
    assert.equal(names.get(numbers[250] ?? 0), OTHER);
    assert.equal(routes.ofUrl('GET', `/${letters(3)}`), numbers[3]);
    assert.equal(routes.named('GET /by/:pattern'), numbers[299]);
  });

  test('a million URLs, none like another, need no memory', () => {
    const path = fileURLToPath(new URL('../../dist/target/child/labels.cjs', import.meta.url));
    // In letters, so that nothing looks like an id; kept, they would need ten times what the process may have.
    const code = `
      const { Routes } = require(${JSON.stringify(path)});
      let told = 0;
      const routes = new Routes(() => told++);
      const letters = (n) => n.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'[digit]);
      for (let n = 0; n < 1e6; n++) routes.ofUrl('GET', '/page/' + letters(n) + '/' + 'filler-'.repeat(20));
      console.log(told);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=32', '-e', code], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr.slice(0, 500));
    assert.equal(stdout.trim(), String(MOST_ROUTES + 1));
  });
});

describe('the table of requests', () => {
  const row = (
    number: number,
    start: number,
    end = UNFINISHED,
    ended = 0,
    route = 0,
    kind = 0,
    connection = 1,
  ): RequestRow => [number, kind, connection, 1, start, end, ended, route];

  test('a reader sees each request when it has begun, when it has ended, and at the end what goes on', () => {
    const writer = new table.RequestTable();
    const reader = new table.RequestReader(new table.RequestTable(writer.memory), 7);
    assert.equal(reader.read(), null);
    assert.deepEqual([writer.begin('http', 1, true, 10), writer.begin('http', 1, true, 20)], [1, 2]);
    assert.deepEqual(reader.read(), requestsLine(7, [row(1, 10), row(2, 20)]));
    assert.equal(reader.read(), null);
    writer.end(2, 'answered', 30, 5);
    assert.deepEqual(reader.read(), requestsLine(7, [row(2, 20, ANSWERED, 30, 5)]));
    writer.begin('mark', 0, false, 40);
    writer.end(3, 'failed', 41, 6);
    const failed: RequestRow = [3, 2, 0, 0, 40, table.ENDS.indexOf('failed'), 41, 6];
    writer.name(1, 9);
    writer.becomes(1, 'http2', 4, 11);
    assert.deepEqual(reader.read(), requestsLine(7, [failed]));
    assert.deepEqual(reader.read(true), requestsLine(7, [row(1, 11, UNFINISHED, 0, 9, 1, 4)]));
  });

  test('when it is full nothing more begins, and how many came is counted', () => {
    const writer = new table.RequestTable();
    const reader = new table.RequestReader(writer, 7);
    for (let index = 0; index < table.CAPACITY; index++) writer.begin('http', 1, true, index);
    assert.deepEqual([writer.begin('http', 1, true, 1), writer.begin('http', 1, true, 1)], [0, 0]);
    const line = reader.read();
    assert.deepEqual([line?.rows.length, line?.dropped], [table.CAPACITY, 2]);
    writer.begin('http', 1, true, 1);
    assert.deepEqual(reader.read(), requestsLine(7, [], 3));
    writer.end(table.CAPACITY, 'answered', 5, 1);
    assert.equal(reader.read()?.rows[0]?.[5], ANSWERED);
  });
});

describe('requests of a process, from what its threads wrote', () => {
  const reduced = (
    requests: readonly RequestsLine[],
    routes: readonly RouteLine[],
  ): ReturnType<typeof tracedRequests> => tracedRequests({ process: head, requests, routes }, clock);

  test('they are in the order of arrival, and found by thread and number', () => {
    const { requests, indexOf, notes } = reduced(
      [
        requestsLine(1, [
          [1, 0, 1, 1, 5000, UNFINISHED, 0, 0],
          [2, 0, 1, 0, 7000, ANSWERED, 9500, 1],
        ]),
        requestsLine(2, [[1, 1, 1, 1, 6000, ANSWERED, 8000, 1]]),
        requestsLine(1, [[1, 0, 1, 1, 5000, table.ENDS.indexOf('aborted'), 6500, 2]]),
      ],
      [routeLine(1, 1, 'GET /a'), routeLine(1, 2, 'GET /b'), routeLine(2, 1, 'GET /c')],
    );
    const common = { kind: 'http', sampled: true, loopThread: 1 } as const;
    assert.deepEqual(requests, [
      { ...common, route: 'GET /b', connection: 1, startMs: 5, endMs: 6.5, end: 'aborted' },
      {
        kind: 'http2',
        route: 'GET /c',
        connection: 2,
        loopThread: 2,
        startMs: 6,
        endMs: 8,
        end: 'answered',
        sampled: true,
      },
      { ...common, route: 'GET /a', connection: 1, startMs: 7, endMs: 9.5, end: 'answered', sampled: false },
    ]);
    assert.deepEqual(
      [indexOf(1, 1), indexOf(2, 1), indexOf(1, 2), indexOf(2, 2), indexOf(1, 0)],
      [0, 1, 2, null, null],
    );
    assert.deepEqual(notes, []);
  });

  test('what came beyond the bound is said once for the process', () => {
    const { notes } = reduced([requestsLine(1, [], 3), requestsLine(1, [], 8), requestsLine(2, [], 1)], []);
    assert.deepEqual(notes, [{ id: 'trace.requests-bound', pid: 100, count: 9 }]);
  });

  test('a name that got lost, and more names than one process may have', () => {
    const threads = [1, 2, 3];
    const routes = threads.flatMap((thread) =>
      Array.from({ length: 150 }, (_, index) => routeLine(thread, index + 1, `GET /${thread}/${index}`)),
    );
    const lines = threads.map((thread) =>
      requestsLine(
        thread,
        Array.from(
          { length: 151 },
          (_, at): RequestRow => [at + 1, 0, 1, 1, thread * 1000 + at, ANSWERED, 9000, at + 1],
        ),
      ),
    );
    const { requests } = reduced(lines, routes);
    assert.equal(requests.length, 453);
    assert.equal(new Set(requests.map(({ route }) => route)).size, MOST_ROUTES + 1);
    assert.deepEqual(
      [requests[0]?.route, requests[150]?.route, requests[452]?.route],
      ['GET /1/0', OTHER, OTHER],
    );
  });
});
