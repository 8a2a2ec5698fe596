import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAddress } from '#plimsoll/host/sockets.js';
import { parseCall, type ThreadActivity } from '#plimsoll/host/thread-activity.js';
import { plainStyle } from '#plimsoll/report/style.js';
import { screenLines } from '#plimsoll/report/top.js';
import type { Doing, SeenProcess } from '#plimsoll/results/pool-activity.js';
import { doingOf, isBusy } from '#plimsoll/top/doing.js';
import { rolesOf } from '#plimsoll/top/roles.js';
import { systemCall } from '#plimsoll/top/system-calls.js';

const thread = (given: Partial<ThreadActivity> = {}): ThreadActivity => ({
  ...{
    tid: 11,
    name: 'node',
    state: 'S',
    createdTicks: 100,
    cpuMs: 0,
    coreWaitMs: 0,
    timeslices: 0,
    call: null,
    tellsCalls: true,
  },
  ...given,
});
const call = (number: number) => ({ number, args: [] });

describe('what a thread is doing', () => {
  const at = (now: Partial<ThreadActivity>, before: Partial<ThreadActivity> | null = {}): Doing =>
    doingOf(thread(now), before === null ? null : thread(before), 1000, () => 'x');

  test('shares follow from two looks', () => {
    assert.deepEqual(at({ cpuMs: 250, coreWaitMs: 40 }), {
      what: 'running',
      cpuShare: 0.25,
      coreWaitShare: 0.04,
    });
    assert.deepEqual(at({ cpuMs: 250, coreWaitMs: 700 }), {
      what: 'waiting for a core',
      cpuShare: 0.25,
      coreWaitShare: 0.7,
    });
    assert.deepEqual(at({ state: 'R', cpuMs: 900 }, null), {
      what: 'running',
      cpuShare: 0,
      coreWaitShare: 0,
    });
    // A clock of the kernel that goes backwards, or a thread number that was used again.
    assert.deepEqual(at({ cpuMs: 5 }, { cpuMs: 900 }), { what: 'sleeping', state: 'S' });
  });

  test('a system call says whether it waits for work or is at work', () => {
    const [futex, read] = process.arch === 'arm64' ? [98, 63] : [202, 0];
    assert.deepEqual(at({ call: call(futex) }), { what: 'idle' });
    assert.deepEqual(at({ call: call(read) }), { what: 'blocked', call: 'read', on: 'x' });
    assert.deepEqual(at({ call: call(9999) }), { what: 'blocked', call: 'system call 9999', on: 'x' });
    assert.equal(systemCall(257, 'x64').name, 'openat');
    assert.equal(systemCall(56, 'arm64').name, 'openat');
    assert.equal(systemCall(1, 'riscv64').name, 'system call 1');
  });

  test('one that may not be asked is busy only while it waits for a disk', () => {
    assert.equal(isBusy(at({ state: 'D' })), true);
    assert.equal(isBusy(at({ state: 'S' })), false);
  });
});

test('roles: by name, and before libuv 1.50 by when threads were created together', () => {
  const named = ['MainThread', 'DelayedTaskSche', 'V8Worker', 'libuv-worker', 'libuv-worker', 'node'];
  const by = rolesOf(
    1,
    named.map((name, index) => ({ tid: index + 1, name, createdTicks: 0 })),
    2,
  );
  assert.deepEqual([...by.values()], ['event loop', 'runtime', 'runtime', 'pool', 'pool', 'other']);
  // Main, six of the runtime, a Worker, four of the pool, a Worker.
  const ticks = [0, 1, 1, 1, 1, 1, 2, 40, 90, 90, 91, 91, 300];
  const threads = ticks.map((createdTicks, index) => ({ tid: index + 1, name: 'node', createdTicks }));
  const pool = (count: number): number[] =>
    [...rolesOf(1, threads, count, '/none')].filter(([, role]) => role === 'pool').map(([tid]) => tid);
  assert.deepEqual(pool(4), [9, 10, 11, 12]);
  assert.deepEqual(pool(5), [8, 9, 10, 11, 12], 'on a busy machine it takes longer to create them');
  assert.deepEqual(pool(0), []);
});

test('lines of the kernel', () => {
  assert.deepEqual(parseCall('257 0xffffff9c 0x7f00 0x0 0x0 0x0 0x0 0x7ffc 0x7f1'), {
    number: 257,
    args: [0xffffff9cn, 0x7f00n, 0n, 0n, 0n, 0n],
  });
  assert.deepEqual([parseCall('running'), parseCall('-1 0x7ffc 0x7f1'), parseCall(null)], [null, null, null]);
  assert.equal(parseAddress('3500007F:0035'), '127.0.0.53:53');
  assert.equal(parseAddress('00000000:0000'), null);
  assert.equal(parseAddress('0000000000000000FFFF00003500007F:0035'), '127.0.0.53:53');
  assert.equal(
    parseAddress('B80D01200000000000000000010000 00:0035'.replace(' ', '')),
    '[2001:db8:0:0:0:0:0:1]:53',
  );
  assert.equal(parseAddress('odd'), null);
});

describe('the screen', () => {
  const seen: SeenProcess['seen'] = [
    { tid: 1, name: 'node', role: 'event loop', doing: { what: 'idle' } },
    {
      tid: 9,
      name: 'libuv-worker',
      role: 'pool',
      doing: { what: 'blocked', call: 'openat', on: `/a\u001b[31m/${'x'.repeat(200)}` },
    },
    {
      tid: 10,
      name: 'libuv-worker',
      role: 'pool',
      doing: { what: 'running', cpuShare: 0.987, coreWaitShare: 0 },
    },
    { tid: 3, name: 'V8Worker', role: 'runtime', doing: { what: 'idle' } },
  ];
  const one: SeenProcess = {
    ...{
      pid: 1,
      ppid: 0,
      program: 'server.js \u001b[2J',
      threads: 2,
      size: 2,
      busy: 2,
      parked: 0,
      rescue: {
        ...{ base: 4, size: 8, max: 32, grown: 1, shrunk: 0 },
        last: {
          type: 'grow' as const,
          from: 4,
          size: 8,
          reason: 'jobs \u001b[2J waited',
          at: Date.now() - 12_000,
        },
      },
      countedBy: 'memory',
    },
    ...{ tellsCalls: false, seen },
  };

  for (const width of [60, 80, 140])
    test(`${width} columns: nothing wider, no control characters, and what may not be read is said`, () => {
      const lines = screenLines([one], plainStyle(width), true);
      for (const line of lines) {
        assert.ok([...line].length <= width, `${[...line].length}: ${line}`);
        assert.doesNotMatch(line, /\p{Cc}/u);
      }
      assert.match(lines.join(' '), /may not read the system calls/);
      assert.match(lines.join('\n'), / +1 +2\/2 .*server\.js/, 'the program is named');
      assert.match(
        lines.join(' ').replaceAll(/ +/g, ' '),
        /rescue: 8 threads, 4 to 32; grew from 4 to 8 12 s ago: jobs/,
      );
      assert.match(lines.join('\n'), /2 of 2 pool threads busy in 1 process {2}q quits/);
    });
});
