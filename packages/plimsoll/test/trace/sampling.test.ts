import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readTrace, trace, writeTrace } from 'plimsoll';
import type { Trace } from '#plimsoll/results/trace.js';
import sampling from '#plimsoll/trace/child/sampling.cjs';
import { recordedTimes } from '#plimsoll/trace/recorded-times.js';
import { fixture, plimsoll } from '../support/cli.js';

const { nextWindow, WINDOW_MS } = sampling;

test('windows: one in each period, which is as long as the share asks for, and the same for whoever looks', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1e10, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (share, from, later) => {
        const periodMs = WINDOW_MS / share;
        const first = nextWindow(share, from);
        assert.ok(first >= from && first - from <= 2 * periodMs);
        assert.equal(nextWindow(share, from + (first - from) * later * 0.999), first);
        const second = nextWindow(share, first + WINDOW_MS);
        assert.ok(second - first >= WINDOW_MS * 0.999 && second - first <= 2 * periodMs);
      },
    ),
  );
});

test('windows do not keep step with what comes at regular times', () => {
  const places = Array.from({ length: 100 }, (_, period) => (nextWindow(0.1, period * 2000) % 2000) / 1800);
  for (let tenth = 0; tenth < 10; tenth++) {
    const inside = places.filter((place) => place >= tenth / 10 && place < (tenth + 1) / 10).length;
    assert.ok(inside >= 5 && inside <= 16, `${inside} of 100`);
  }
});

test('times in which everything was recorded, of all threads together', () => {
  const line = (thread: number, at: number, isOn: boolean) =>
    ({ type: 'recording', thread, at, isOn }) as const;
  const times = recordedTimes({
    recording: [
      line(1, 10, false),
      line(2, 12, false),
      line(2, 18, true),
      line(1, 20, true),
      line(2, 30, false),
    ],
  });
  const covered = [
    [0, 10],
    [0, 11],
    [12, 18],
    [19, 20],
    [20, 30],
    [25, 31],
    [40, 50],
  ].map(([from = 0, to = 0]) => times.covers(from, to));
  assert.deepEqual(covered, [true, false, false, false, true, false, false]);
  assert.deepEqual([times.isPart, recordedTimes({ recording: [] }).isPart], [true, false]);
});

const linux = process.platform === 'linux' ? {} : { skip: 'the use of threads is told by /proc' };

describe('a share of the requests', linux, () => {
  let recorded: Trace;
  const kept = (): Trace['processes'][number] => recorded.processes[0] ?? assert.fail();
  const record = async (sample: number, ms: number, sampleMs?: number): Promise<Trace> => {
    const run = await trace({
      command: [process.execPath, fixture('trace/sampled.cjs'), String(ms)],
      ...{ sample, ...(sampleMs === undefined ? {} : { sampleMs }), stdout: 'nowhere' as const },
    });
    assert.equal(run.trace.ending, 'ended');
    return run.trace;
  };

  /** Every followed request has all of its jobs, in their order. @returns how many there are, by route. */
  function checkFollowed({ requests, operations, jobs }: Trace['processes'][number]): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [index, { sampled, route, end }] of requests.entries()) {
      if (!sampled || end !== 'answered') continue;
      counts.set(route, (counts.get(route) ?? 0) + 1);
      const own = jobs.filter(
        ({ operation }) => operation !== null && operations[operation]?.request === index,
      );
      assert.deepEqual(
        own.map(({ kind }) => kind),
        ['fs.stat', 'fs.stat', 'crypto'],
        route,
      );
      const second = { 'GET /long': 'timer', 'GET /backend': 'socket' }[route] ?? 'callback';
      assert.deepEqual(
        own.map(({ cause }) => cause),
        ['request', second, 'callback'],
        route,
      );
    }
    return counts;
  }

  test('is recorded whole, and of the others arrival and end', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    try {
      const file = join(directory, 'kept');
      recorded = await record(0.1, 6000);
      writeTrace(recorded, file);
      assert.deepEqual(readTrace(file).processes, recorded.processes);
    } finally {
      rmSync(directory, { recursive: true });
    }
    const { requests, jobs } = kept();
    const followed = requests.filter(({ sampled }) => sampled).length;
    assert.deepEqual(
      recorded.notes.map(({ id, count }) => [id, count]),
      [['trace.sampled', followed]],
    );
    // Three or four windows of the 6 seconds; a machine that starves timers makes them longer.
    assert.ok(followed > 0.02 * requests.length && followed < 0.8 * requests.length, `${followed}`);
    assert.ok(jobs.length < 0.9 * 3 * requests.length, 'outside of the windows nothing is recorded');
    // Those that outlive their window are waited for.
    assert.deepEqual([...checkFollowed(kept()).keys()].sort(), ['GET /backend', 'GET /fast', 'GET /long']);
  });

  test('also where the recorder starts trace events late', async () => {
    const { processes } = await record(0.25, 4000, 400);
    assert.ok(checkFollowed(processes[0] ?? assert.fail()).size > 0);
  });

  test('and what the threads used is set against jobs only where all of these were recorded', () => {
    const { usage, jobs } = kept();
    const [inside, outside] = [true, false].map((is) => usage.filter(({ recorded: all }) => all === is));
    assert.ok(inside !== undefined && outside !== undefined && inside.length > 0 && outside.length > 0);
    const outer = jobs.filter(({ submitMs, callbackMs }) =>
      outside.some(({ fromMs, toMs }) => submitMs > fromMs && callbackMs < toMs),
    );
    // Of an interval at whose edge recording began or ended.
    assert.ok(outer.length < jobs.length / 2, `${outer.length} of ${jobs.length}`);
  });
});

test('a share that is none is refused', async () => {
  for (const text of ['0', '1.1', '-1', 'x', '']) {
    const run = await plimsoll(['trace', '--sample', text, '--', process.execPath, '-e', '0']);
    assert.equal(run.code, 2, text);
    assert.match(run.stderr, /--sample/);
  }
});
