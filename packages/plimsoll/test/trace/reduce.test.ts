import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedEvent, RecordedLine } from '#plimsoll/trace/child/lines.cjs';
import { type ProcessLog, parseProcessLogs } from '#plimsoll/trace/process-log.js';
import { reduce } from '#plimsoll/trace/reduce.js';

const MAIN = 100;
const [A, B] = [201, 202];

const head: RecordedLine = {
  type: 'process',
  at: 1000,
  pid: MAIN,
  node: '20.20.2',
  libuv: '1.46.0',
  script: '/somewhere/app.js',
  sizeText: '2',
};
const end: RecordedLine = { type: 'end', at: 1_000_000 };

const text = (lines: readonly RecordedLine[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const recorded = (...lines: RecordedLine[]): ProcessLog =>
  parseProcessLogs(text([head, ...lines, end]))[0] as ProcessLog;

/** A job of crypto: submission, run on a thread, completion. */
const crypto = (id: string, times: readonly [number, number, number, number], tid = A): RecordedEvent[] => [
  ['b', 'w', 'crypto', MAIN, times[0], null, id, null],
  ['B', 'r', 'crypto', tid, times[1], 1000, null, null],
  ['E', 'r', 'crypto', tid, times[2], 1000 + (times[2] - times[1]) / 2, null, null],
  ['e', 'w', 'crypto', MAIN, times[3], null, id, 0],
];
const call = (cat: 'f' | 'd', name: string, id: string, from: number, to: number): RecordedEvent[] => [
  ['b', cat, name, MAIN, from, null, id, null],
  ['e', cat, name, MAIN, to, null, id, 0],
];
const events = (...all: RecordedEvent[][]): RecordedLine => ({ type: 'events', events: all.flat() });
const look = (
  at: number,
  use: readonly (readonly [number, number, number, 0 | 1 | 2 | null])[] = [],
  appeared: readonly (readonly [number, string])[] = [],
): RecordedLine => ({ type: 'threads', at, new: appeared, tells: true, use });

const ids = ({ notes }: ReturnType<typeof reduce>): string[] => notes.map(({ id }) => id);

describe('from a recording to jobs', () => {
  test('times count from the beginning, in milliseconds, with thread and CPU time', () => {
    const { process, notes } = reduce(recorded(events(crypto('a', [2000, 3000, 7000, 9000]))), 1000);
    assert.deepEqual(process.jobs, [
      {
        caller: { request: null, kind: 'crypto', frames: [] },
        kind: 'crypto',
        slowIo: false,
        loopThread: MAIN,
        submitMs: 1,
        startMs: 2,
        endMs: 6,
        callbackMs: 8,
        cpuMs: 2,
        thread: A,
        inferred: false,
        queued: false,
      },
    ]);
    assert.deepEqual([process.script, process.size, process.startMs, process.endMs], ['app.js', 2, 0, 999]);
    assert.deepEqual(notes, []);
  });

  test('lookups are slow I/O and c-ares is none; both are named by their calls', () => {
    const { process } = reduce(
      recorded(
        events(call('d', 'lookup', 'l', 2000, 9000), call('d', 'resolve4', 'r', 2000, 9000)),
        events(call('f', 'stat', 's', 2500, 3000)),
      ),
      0,
    );
    assert.deepEqual(
      process.jobs.map(({ kind, slowIo, inferred }) => [kind, slowIo, inferred]),
      [
        ['dns.lookup', true, true],
        ['fs.stat', false, true],
      ],
    );
  });

  test('a file cut off in a line, several processes with one id, and a process that was killed', () => {
    const one = text([head, events(crypto('a', [2000, 3000, 7000, 9000])), end]);
    const two = text([head, events(crypto('a', [2000, 3000, 7000, 9000]))]);
    const found = parseProcessLogs(`${one}${two}{"type":"events","ev`);
    assert.deepEqual(
      found.map((recording) => [recording.events.length, ids(reduce(recording, 0))]),
      [
        [4, []],
        [4, ['trace.killed']],
      ],
    );
  });

  test('a run over a gap may be two jobs: its job is inferred; a long run is one job', () => {
    const gap: RecordedLine = { type: 'gap', from: 4000, to: 5000 };
    const divided = (all: RecordedEvent[]): RecordedLine[] => [
      ...[events(all.filter(([, , , , ts]) => ts < 4500)), gap],
      events(all.filter(([, , , , ts]) => ts > 4500)),
    ];
    const short = reduce(recorded(...divided(crypto('a', [2000, 3000, 7000, 9000]))), 0);
    assert.deepEqual(
      short.process.jobs.map(({ inferred, thread }) => [inferred, thread]),
      [[true, null]],
    );
    const long = reduce(recorded(...divided(crypto('a', [2000, 3000, 70_000, 90_000]))), 0);
    assert.deepEqual(
      long.process.jobs.map(({ inferred, thread }) => [inferred, thread]),
      [[false, A]],
    );
  });

  test('what lost its counterpart and what was under way is counted and said', () => {
    const [b, begin, , e] = crypto('a', [2000, 3000, 7000, 9000]) as [
      RecordedEvent,
      RecordedEvent,
      RecordedEvent,
      RecordedEvent,
    ];
    const again = crypto('a', [10_000, 11_000, 12_000, 13_000]);
    const { process, notes } = reduce(
      recorded(events([b, begin, e], again, [[...b.slice(0, 6), 'z', null] as never])),
      0,
    );
    assert.deepEqual(
      process.jobs.map(({ inferred }) => inferred),
      [true, false],
    );
    assert.deepEqual(
      notes.map(({ id, count }) => [id, count]),
      [
        ['trace.unbalanced', 1],
        ['trace.unfinished', 1],
      ],
    );
  });

  test('a hundred thousand jobs that one blocked loop takes at once', () => {
    const many = Array.from({ length: 100_000 }, (_, index) =>
      crypto(`${index}`, [2000, 3000 + 10 * index, 3008 + 10 * index, 3_000_000 + index], index % 2 ? A : B),
    );
    const files = Array.from({ length: 20_000 }, (_, index) =>
      call('f', 'stat', `s${index}`, 2000 + index, 4_000_000 + index),
    );
    const recording = recorded(events(...many, ...files));
    const start = performance.now();
    const { process } = reduce(recording, 0);
    assert.equal(process.jobs.length, 120_000);
    assert.ok(process.jobs.every(({ kind, inferred }) => inferred === (kind === 'fs.stat')));
    // About a second; in quadratic time it would be minutes.
    assert.ok(performance.now() - start < 30_000);
  });
});

describe('the pool’s threads are counted', () => {
  const working = events(crypto('a', [2000, 3000, 7000, 9000]));
  const first = look(
    1500,
    [],
    [
      [MAIN, 'node'],
      [150, 'node'],
    ],
  );

  test('by their names', () => {
    const named = [...[A, B].map((tid) => [tid, 'libuv-worker'] as const), [300, 'sharp'] as const];
    assert.equal(reduce(recorded(first, working, look(60_000, [], named)), 0).process.observedThreads, 2);
  });

  test('where they have none, by what appeared together with one that worked', () => {
    const workers: RecordedLine[] = [{ type: 'worker', tid: 203, isRecorder: false }];
    const lines = [
      ...[first, working, ...workers],
      look(30_000, [], [[180, 'node']]),
      look(
        60_000,
        [],
        [
          [A, 'node'],
          [B, 'node'],
          [203, 'node'],
          [204, 'iou-sqp-1'],
        ],
      ),
      look(90_000, [], [[300, 'node']]),
    ];
    assert.equal(reduce(recorded(...lines), 0).process.observedThreads, 2);
  });

  test('where no event tells of their work, by what appeared first', () => {
    const seen = look(
      51_000,
      [[A, 0, 0, 2]],
      [
        [A, 'node'],
        [B, 'node'],
      ],
    );
    const { observedThreads, usage } = reduce(
      recorded(first, events(call('f', 'stat', 's', 20_000, 70_000)), seen),
      0,
    ).process;
    assert.deepEqual([observedThreads, usage[0]?.blockedThreads], [2, 1]);
    assert.equal(reduce(recorded(first, look(51_000, [], [[A, 'node']])), 0).process.observedThreads, null);
  });

  test('their use of the cores goes to the pool, that of the recorder to nobody', () => {
    const lines: RecordedLine[] = [
      ...[first, working, { type: 'worker', tid: 150, isRecorder: true } as const],
      look(
        51_000,
        [
          [MAIN, 1e6, 0, null],
          [A, 4e6, 2e6, 1],
          [150, 9e6, 0, null],
          [300, 5e5, 0, 0],
        ],
        [
          [A, 'libuv-worker'],
          [300, 'V8Worker'],
        ],
      ),
    ];
    const [interval] = reduce(recorded(...lines), 1000).process.usage;
    assert.deepEqual(interval, {
      fromMs: 0.5,
      toMs: 50,
      blockedThreads: 0,
      eventLoop: { cpuMs: 1, coreWaitMs: 0 },
      pool: { cpuMs: 4, coreWaitMs: 2 },
      other: { cpuMs: 0.5, coreWaitMs: 0 },
    });
  });
});

describe('jobs of fs were on threads no longer than threads were at work', () => {
  const calls = Array.from({ length: 100 }, (_, index) =>
    call('f', 'stat', `${index}`, 2000 + index, 50_000 + index),
  );
  const named = [A, B].map((tid) => [tid, 'libuv-worker'] as const);
  const reduced = (cpu: number, state: 0 | 2): ReturnType<typeof reduce> =>
    reduce(
      recorded(
        look(1000, [], named),
        events(...calls),
        ...[11_000, 21_000, 31_000, 41_000, 51_000].map((at) =>
          look(at, [
            [MAIN, 9.5e6, 0, null],
            [A, cpu / 5, 0, state],
            [B, 0, 0, state],
          ]),
        ),
      ),
      0,
    );
  const onThreads = ({ process }: ReturnType<typeof reduce>): number =>
    process.jobs.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);

  test('by the kernel’s clock, while the loop was late', () => {
    const quick = reduced(4e6, 0);
    assert.ok(onThreads(quick) > 3 && onThreads(quick) < 4.01, `${onThreads(quick)}`);
    assert.ok(quick.process.jobs.every(({ endMs, callbackMs }) => callbackMs - endMs > 20));
  });

  test('unless they were seen to be blocked', () => {
    const blocked = reduced(4e6, 2);
    assert.ok(onThreads(blocked) > 80, `${onThreads(blocked)}`);
  });
});
