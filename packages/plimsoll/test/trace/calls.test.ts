import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import record from '#plimsoll/trace/child/calls/record.cjs';
import CallRing from '#plimsoll/trace/child/calls/ring.cjs';
import type { RecordedEvent, RecordedLine } from '#plimsoll/trace/child/lines.cjs';
import { parseProcessLogs } from '#plimsoll/trace/process-log.js';
import { reduce } from '#plimsoll/trace/reduce.js';

const { RECORD, KIND, KINDS, CAUSE, CAUSES, FIELDS } = record;
const MAIN = 100;
const NAMES = ['read', 'PBKDF2REQUEST', 'fs.readFile', 'crypto.pbkdf2', 'bcrypt'] as const;
type Name = (typeof NAMES)[number];
const code = (name: Name): number => NAMES.indexOf(name) + 1;

type Row = readonly [type: number, at: number, a: number, b?: number, c?: number, d?: number];

interface Submitted {
  readonly operation?: number;
  readonly request?: number;
  readonly cause?: keyof typeof CAUSE;
  readonly after?: number;
}

const job = (
  number: number,
  at: number,
  [kind, name]: readonly [keyof typeof KIND, Name | null],
  { operation = 0, request = 0, cause = 'other', after = 0 }: Submitted = {},
): Row => {
  const target = operation === 0 ? -request * CAUSES - CAUSE[cause] : operation * CAUSES + CAUSE[cause];
  return [RECORD.job, at, number, (name === null ? 0 : code(name)) * KINDS + KIND[kind], target, after];
};
const returned = (number: number, at: number): Row => [RECORD.return, at, number];
const begin = (number: number, at: number, name: Name, request = 0): Row => [
  RECORD.begin,
  at,
  number,
  code(name),
  request,
];
const end = (number: number, at: number): Row => [RECORD.end, at, number];

const calls = (...rows: Row[]): RecordedLine => {
  const numbers = new Float64Array(rows.length * FIELDS);
  for (const [index, row] of rows.entries()) numbers.set(row as readonly number[], index * FIELDS);
  return { type: 'calls', thread: MAIN, records: Buffer.from(numbers.buffer).toString('base64'), lost: 0 };
};
const names = NAMES.map((name): RecordedLine => ({ type: 'name', thread: MAIN, code: code(name), name }));

const crypto = (id: string, from: number, to: number): RecordedEvent[] => [
  ['b', 'w', 'crypto', MAIN, from, null, id, null],
  ['B', 'r', 'crypto', 201, from + 1, 0, null, null],
  ['E', 'r', 'crypto', 201, to - 1, 1, null, null],
  ['e', 'w', 'crypto', MAIN, to, null, id, 0],
];
const events = (...all: RecordedEvent[][]): RecordedLine => ({ type: 'events', events: all.flat() });

function reduced(...lines: RecordedLine[]): ReturnType<typeof reduce> {
  const head: RecordedLine = {
    ...{ type: 'process', at: 0, pid: MAIN, ppid: 1, node: '24.0.0', libuv: '1.50.0', arch: 'x64' },
    ...{ script: 'app.js', sizeText: '4' },
  };
  const text = [head, ...names, ...lines, { type: 'end', at: 1_000_000, why: 'exit' }]
    .map((line) => JSON.stringify(line))
    .join('\n');
  return reduce(parseProcessLogs(text)[0] as never, 0);
}

const told = ({ process }: ReturnType<typeof reduce>): unknown[] =>
  process.jobs.map(({ kind, parent, cause, operation }) => [kind, parent, cause, operation]);

describe('calls that hooks told, and the jobs that events told', () => {
  test('a synchronous call makes a resource, too, and leaves it to nobody', () => {
    const result = reduced(
      calls(
        job(1, 1000, ['crypto', 'PBKDF2REQUEST']),
        begin(1, 1995, 'crypto.pbkdf2'),
        job(2, 1999, ['crypto', 'PBKDF2REQUEST'], { operation: 1, cause: 'timer' }),
        returned(2, 9001),
        end(1, 9002),
      ),
      events(crypto('a', 2000, 9000)),
    );
    assert.deepEqual(told(result), [['crypto', null, 'timer', 0]]);
    assert.deepEqual(result.process.operations, [
      { name: 'crypto.pbkdf2', request: null, loopThread: MAIN, startMs: 1.995, endMs: 9.002 },
    ]);
  });

  test('jobs that are done in another order than they were submitted', () => {
    const result = reduced(
      calls(
        begin(1, 1990, 'crypto.pbkdf2'),
        job(1, 1999, ['crypto', 'PBKDF2REQUEST'], { operation: 1 }),
        begin(2, 2090, 'crypto.pbkdf2'),
        job(2, 2099, ['crypto', 'PBKDF2REQUEST'], { operation: 2 }),
        returned(2, 5001),
        returned(1, 9001),
      ),
      events(crypto('a', 2000, 9000), crypto('b', 2100, 5000)),
    );
    assert.deepEqual(told(result), [
      ['crypto', null, 'other', 0],
      ['crypto', null, 'other', 1],
    ]);
    assert.deepEqual(
      result.process.operations.map(({ endMs }) => endMs),
      [9, 5],
    );
  });

  test('an event that was lost takes nobody else’s call, and a call that was lost leaves its event alone', () => {
    const jobs = [1, 2, 3].map((number) =>
      job(number, 2000 * number - 1, ['crypto', 'PBKDF2REQUEST'], { operation: number }),
    );
    const begins = [1, 2, 3].map((number) => begin(number, 2000 * number - 5, 'crypto.pbkdf2', number));
    const returns = [1, 2, 3].map((number) => returned(number, 2000 * number + 901));
    const all = [1, 2, 3].map((number) => crypto(`${number}`, 2000 * number, 2000 * number + 900));
    const withoutEvent = reduced(
      calls(...begins, ...jobs, ...returns),
      events(all[0] as RecordedEvent[], all[2] as RecordedEvent[]),
    );
    assert.deepEqual(
      withoutEvent.process.jobs.map(
        ({ operation }) => withoutEvent.process.operations[operation ?? -1]?.startMs,
      ),
      [1.995, 5.995],
    );
    const withoutCall = reduced(
      calls(...begins, jobs[0] as Row, jobs[2] as Row, returns[0] as Row, returns[2] as Row),
      events(...all),
    );
    assert.deepEqual(
      withoutCall.process.jobs.map(({ operation }) => operation),
      [0, null, 1],
    );
  });

  test('fs needs no event; a job under way is counted, and its operation has no end', () => {
    const result = reduced(
      calls(
        begin(1, 1990, 'fs.readFile'),
        job(1, 2000, ['fs', 'read'], { operation: 1 }),
        returned(1, 3000),
        job(2, 3001, ['fs', 'read'], { operation: 1, cause: 'callback', after: 1 }),
        returned(2, 4000),
        job(3, 4001, ['fs', 'read'], { operation: 1, cause: 'callback', after: 2 }),
      ),
    );
    assert.deepEqual(told(result), [
      ['fs.read', null, 'other', 0],
      ['fs.read', 0, 'callback', 0],
    ]);
    assert.equal(result.process.operations[0]?.endMs, null);
    assert.deepEqual(result.notes, [{ id: 'trace.unfinished', pid: MAIN, count: 1 }]);
  });

  test('a call of fs that has no name is no job', () => {
    const result = reduced(calls(job(1, 2000, ['fs', null]), returned(1, 3000)));
    assert.deepEqual(result.process.jobs, []);
  });

  test('work of an add-on is an operation that is named after it', () => {
    const result = reduced(
      calls(job(1, 1999, ['other', 'bcrypt']), returned(1, 5001)),
      events(crypto('a', 2000, 5000).map(([ph, cat, , ...rest]) => [ph, cat, 'node_api', ...rest])),
    );
    assert.deepEqual(
      result.process.operations.map(({ name, startMs, endMs }) => [name, startMs, endMs]),
      [['bcrypt', 2, 5]],
    );
  });

  test('the directories of a tree that is walked are jobs of one call', () => {
    const walk = (id: string, from: number, to: number): RecordedEvent[] =>
      crypto(id, from, to).map(([ph, cat, , ...rest]) => [ph, cat, 'readdir_recursive', ...rest]);
    const result = reduced(
      calls(
        begin(1, 1990, 'fs.readFile'),
        job(1, 1999, ['fs', null], { operation: 1 }),
        returned(1, 5101),
        begin(2, 6990, 'fs.readFile'),
        job(2, 6999, ['fs', null], { operation: 2, cause: 'callback', after: 1 }),
        returned(2, 8001),
      ),
      events(walk('a', 2000, 5000), walk('b', 4000, 5100), walk('c', 7000, 8000)),
    );
    assert.deepEqual(told(result), [
      ['readdir_recursive', null, 'other', 0],
      ['readdir_recursive', null, 'other', 0],
      ['readdir_recursive', 0, 'callback', 1],
    ]);
  });

  test('directories that are walked together are parts of one call, whichever is the last', () => {
    const walk = (id: string, from: number, to: number): RecordedEvent[] =>
      crypto(id, from, to).map(([ph, cat, , ...rest]) => [ph, cat, 'readdir_recursive', ...rest]);
    const ways = [
      [2000, 3000],
      [2001, 5100],
      [2002, 4000],
    ] as const;
    const result = reduced(
      calls(begin(1, 1990, 'fs.readFile'), job(1, 1999, ['fs', null], { operation: 1 }), returned(1, 5101)),
      events(...ways.map(([from, to]) => walk(`${from}`, from, to))),
    );
    assert.deepEqual(
      result.process.jobs.map(({ kind, operation }) => [kind, operation]),
      ways.map(() => ['readdir_recursive', 0]),
    );
  });

  test('after a socket comes the last that had returned to the same request; the first of a request has none', () => {
    const result = reduced(
      calls(
        job(1, 2000, ['fs', 'read'], { request: 1, cause: 'socket' }),
        job(2, 2100, ['fs', 'read'], { request: 2, cause: 'socket' }),
        returned(1, 3000),
        returned(2, 3100),
        job(3, 4000, ['fs', 'read'], { request: 1, cause: 'socket' }),
        returned(3, 5000),
        job(4, 6000, ['fs', 'read'], { request: 2, cause: 'timer' }),
        returned(4, 7000),
      ),
    );
    assert.deepEqual(
      result.process.jobs.map(({ parent, cause }) => [parent, cause]),
      [
        [null, 'request'],
        [null, 'request'],
        [0, 'socket'],
        [1, 'timer'],
      ],
    );
  });
});

describe('the memory that a recorder shares', () => {
  const put = (ring: CallRing, number: number): void => ring.put(RECORD.return, number, number, 0, 0, 0);
  const read = (ring: CallRing): number[] => {
    const bytes = ring.take();
    if (bytes === null) return [];
    const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return Array.from({ length: numbers.length / FIELDS }, (_, index) => numbers[index * FIELDS + 2] ?? -1);
  };

  test('gives everything once, in order, round and round', () => {
    const ring = new CallRing();
    const reader = new CallRing(ring.memory);
    const seen: number[] = [];
    for (let number = 0; number < 200_000; number++) {
      put(ring, number);
      if (number % 777 === 0) seen.push(...read(reader));
    }
    ring.publish();
    seen.push(...read(reader));
    assert.equal(seen.length, 200_000);
    assert.ok(seen.every((number, index) => number === index));
    assert.equal(reader.lost(), 0);
  });

  test('counts what it has no room for, and goes on when there is room', () => {
    const ring = new CallRing();
    const reader = new CallRing(ring.memory);
    for (let number = 0; number < 70_000; number++) put(ring, number);
    ring.publish();
    assert.equal(read(reader).length, 65_536);
    assert.equal(reader.lost(), 70_000 - 65_536);
    put(ring, 7);
    ring.publish();
    assert.deepEqual(read(reader), [7]);
  });

  test('tells its reader how many jobs events tell of, and whether they are all', () => {
    const ring = new CallRing();
    const reader = new CallRing(ring.memory);
    for (let job = 0; job < 3; job++) ring.countTraced();
    ring.countUncounted(1);
    assert.deepEqual([reader.traced, reader.uncounted], [3, 1]);
    ring.countUncounted(-1);
    assert.equal(reader.uncounted, 0);
  });

  test('a name goes to its job only', () => {
    const ring = new CallRing();
    ring.put(RECORD.job, 1, 1, 0, 0, 0);
    ring.put(RECORD.job, 2, 2, 0, 0, 0);
    ring.setKind(1, 99);
    ring.setKind(2, 8);
    ring.publish();
    const bytes = ring.take() as Buffer;
    const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    assert.deepEqual([numbers[3], numbers[FIELDS + 3]], [0, 8]);
  });
});
