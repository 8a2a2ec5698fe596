import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { UsageInterval } from 'plimsoll';
import { type ChromeEvent, chromeEvents } from '#plimsoll/trace/perfetto.js';
import { job, tracedProcess } from './jobs.js';

const eventsOf = (...processes: ReturnType<typeof tracedProcess>[]): ChromeEvent[] => [
  ...chromeEvents({ processes }),
];
const named = (events: readonly ChromeEvent[], name: string): ChromeEvent[] =>
  events.filter((event) => event.name === name);

describe('a trace for ui.perfetto.dev', () => {
  const jobs = [
    job(0, { endMs: 10, callbackMs: 12 }),
    job(0, { kind: 'fs.stat', endMs: 10, callbackMs: 10 }),
    job(1, { kind: 'zlib', startMs: 10, endMs: 20, callbackMs: 20, cpuMs: 5, thread: 77 }),
  ];

  test('each job stands in the lane of a pool thread, no two at a time', () => {
    const events = eventsOf(tracedProcess(jobs, { pid: 7 }));
    assert.deepEqual(
      events.filter(({ ph }) => ph === 'X').map(({ name, tid, ts, dur }) => [name, tid, ts, dur]),
      [
        ['crypto', 8, 0, 10_000],
        ['fs.stat', 9, 0, 10_000],
        ['zlib', 8, 10_000, 10_000],
      ],
    );
    assert.deepEqual(
      named(events, 'thread_name').map(({ args }) => args.name),
      ['pool thread 1', 'pool thread 2'],
    );
    const [zlib] = named(events, 'zlib');
    assert.deepEqual([zlib?.args.waitedMs, zlib?.args.cpuMs, zlib?.args.thread], [9, 5, 77]);
  });

  test('what waits is counted, for a thread and for the event loop', () => {
    const events = eventsOf(tracedProcess(jobs));
    const counts = (name: string): unknown[][] => named(events, name).map(({ ts, args }) => [ts, args.count]);
    assert.deepEqual(counts('jobs that wait for a thread'), [
      [1000, 1],
      [10_000, 0],
    ]);
    assert.deepEqual(counts('results that wait for the event loop'), [
      [10_000, 1],
      [12_000, 0],
    ]);
  });

  test('cores in use; every process has its name', () => {
    const none = { cpuMs: 0, coreWaitMs: 0 };
    const usage: UsageInterval[] = [
      { fromMs: 0, toMs: 50, eventLoop: { ...none, cpuMs: 25 }, pool: none, other: none, blockedThreads: 0 },
    ];
    const events = eventsOf(tracedProcess([], { usage }), tracedProcess([], { pid: 2, script: null }));
    assert.deepEqual(named(events, 'cores')[0]?.args, { loop: 0.5, pool: 0, other: 0 });
    assert.deepEqual(
      named(events, 'process_name').map(({ pid, args }) => [pid, args.name]),
      [
        [1, 'app.js'],
        [2, 'node'],
      ],
    );
  });
});
