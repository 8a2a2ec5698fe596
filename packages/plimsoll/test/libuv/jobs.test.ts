import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { PoolEvent, Unplaced } from '#plimsoll/libuv/job.js';
import { poolJobs } from '#plimsoll/libuv/jobs.js';
import { placeJobs } from '#plimsoll/libuv/replay.js';
import { QUEUED_JOBS, referenceStarts } from '../support/pool-reference.js';

const MAIN = 1;
const work = 'node,node.threadpoolwork,node.threadpoolwork.async';
const run = 'node,node.threadpoolwork,node.threadpoolwork.sync';

const event = (ph: string, cat: string, ts: number, rest: Partial<PoolEvent> = {}): PoolEvent => ({
  ph,
  cat,
  ts,
  tid: MAIN,
  name: 'crypto',
  args: {},
  ...rest,
});

/** What Node would emit if these jobs were submitted and served by a pool of `size` threads, first in, first out. */
function simulate(
  jobs: readonly { gap: number; service: number; delay: number }[],
  size: number,
): PoolEvent[] {
  const free = Array.from({ length: size }, () => 0);
  let now = 0;
  let returned = 0;
  const ended: { ts: number; id: string }[] = [];
  const events = jobs.flatMap(({ gap, service }, index) => {
    now += gap;
    const thread = free.indexOf(Math.min(...free));
    const start = Math.max(now, free[thread] as number) + 1;
    free[thread] = start + service;
    const id = `0x${index}`;
    ended.push({ ts: start + service, id });
    return [
      event('b', work, now, { id }),
      event('B', run, start, { tid: 10 + thread, tts: 1000 * thread + start }),
      event('E', run, start + service, { tid: 10 + thread, tts: 1000 * thread + start + service / 2 }),
    ];
  });
  // The loop takes results in the order in which they ended.
  const returns = ended
    .map((end, index) => ({ ...end, delay: jobs[index]?.delay ?? 0 }))
    .sort((a, b) => a.ts - b.ts)
    .map(({ ts, id, delay }) => {
      returned = Math.max(returned, ts + delay);
      return event('e', work, returned, { id, args: { result: 0 } });
    });
  return [...events, ...returns].sort((a, b) => a.ts - b.ts);
}

describe('from trace events to jobs', () => {
  test('every run is given to its job, whatever the pool and the load', () => {
    const job = fc.record({
      gap: fc.integer({ min: 1, max: 50 }),
      service: fc.integer({ min: 1, max: 100 }),
      delay: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(
        fc.array(job, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        (jobs, size) => {
          const found = poolJobs(simulate(jobs, size), size);
          assert.equal(found.length, jobs.length);
          for (const [index, { started, ended, submitted, returned, cpu }] of found.entries()) {
            const expected = jobs[index]?.service ?? 0;
            assert.equal((ended ?? 0) - (started ?? 0), expected);
            assert.equal(cpu, expected / 2);
            assert.ok(submitted <= (started ?? 0) && (ended ?? 0) <= returned);
          }
        },
      ),
    );
  });

  test('runs that seem to have changed places still all find a job that fits', () => {
    const scramble = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 40 });
    fc.assert(
      fc.property(scramble, fc.integer({ min: 2, max: 6 }), (noise, size) => {
        const jobs = noise.map((value) => ({ gap: value % 2, service: 5 + value, delay: 3 }));
        // A thread that is preempted before its event tells a later start: by less than its job takes.
        const late = simulate(jobs, size).map((one, index) =>
          one.ph === 'B' ? { ...one, ts: one.ts + (noise[index % noise.length] ?? 0) } : one,
        );
        const found = poolJobs(inOrder(late), size);
        assert.equal(found.length, jobs.length);
        for (const { submitted, started, ended, returned } of found)
          assert.ok(submitted <= (started ?? 0) && (ended ?? 0) <= returned);
      }),
    );
  });

  test('a job waited exactly when every thread was taken at its submission', () => {
    const jobs = [0, 0, 0, 0, 100].map((gap) => ({ gap, service: 40, delay: 0 }));
    const waited = poolJobs(simulate(jobs, 2), 2).map((job) => job.waited);
    assert.deepEqual(waited, [false, false, true, true, false]);
  });

  test('a cancelled job has not run, and takes nobody else’s run', () => {
    const found = poolJobs(
      [
        event('b', work, 1, { id: 'a' }),
        event('b', work, 2, { id: 'b' }),
        event('e', work, 3, { id: 'a', args: { result: -125 } }),
        event('B', run, 4, { tid: 7, tts: 0 }),
        event('E', run, 5, { tid: 7, tts: 1 }),
        event('e', work, 6, { id: 'b', args: { result: 0 } }),
      ],
      4,
    );
    assert.deepEqual(
      found.map(({ submitted, started, tid }) => [submitted, started, tid]),
      [[2, 4, 7]],
    );
  });

  test('an id that is used again is another job; what has not ended is none', () => {
    const twice = [0, 10].flatMap((from) => [
      event('b', work, from, { id: 'a' }),
      event('B', run, from + 1, { tid: 7 }),
      event('E', run, from + 2, { tid: 7 }),
      event('e', work, from + 3, { id: 'a', args: { result: 0 } }),
    ]);
    const found = poolJobs([...twice, event('b', work, 20, { id: 'a' })], 4);
    assert.deepEqual(
      found.map(({ submitted, cpu }) => [submitted, cpu]),
      [
        [0, null],
        [10, null],
      ],
    );
  });
});

const fs = 'node,node.fs,node.fs.async';
const dns = 'node,node.dns,node.dns.native';

const call = (cat: string, name: string, id: string, from: number, to: number): PoolEvent[] => [
  event('b', cat, from, { id, name }),
  event('e', cat, to, { id, name }),
];

const inOrder = (events: PoolEvent[]): PoolEvent[] => events.sort((a, b) => a.ts - b.ts);

describe('what Node tells only in part is inferred', () => {
  test('lookups are served by (size + 1) / 2 threads at a time', () => {
    const ends = [100, 101, 200, 201, 300];
    const events = inOrder(ends.flatMap((to, index) => call(dns, 'lookup', `${index}`, index, to)));
    const found = poolJobs(events, 4);
    assert.deepEqual(
      found.map(({ started, ended, inferred, waited }) => [started, ended, inferred, waited]),
      [
        [0, 100, true, false],
        [1, 101, true, false],
        [100, 200, true, true],
        [101, 201, true, true],
        [200, 300, true, true],
      ],
    );
  });

  test('files may use every thread, but wait behind known jobs', () => {
    const events = inOrder([
      event('b', work, 0, { id: 'w' }),
      event('B', run, 1, { tid: 7 }),
      event('E', run, 50, { tid: 7 }),
      event('e', work, 51, { id: 'w', args: { result: 0 } }),
      ...call(fs, 'stat', 's', 10, 60),
    ]);
    const [, stat] = poolJobs(events, 1);
    assert.deepEqual([stat?.started, stat?.ended, stat?.waited], [50, 60, true]);
    assert.equal(poolJobs(events, 2)[1]?.started, 10);
  });

  test('one call that Node 26 reports twice is one job; c-ares is not on the pool', () => {
    const events = inOrder([
      ...call(fs, 'read', 'r', 0, 20),
      event('b', work, 1, { id: 'w', name: 'fs.readfile' }),
      event('B', run, 2, { tid: 7, name: 'fs.readfile' }),
      event('E', run, 10, { tid: 7, name: 'fs.readfile' }),
      event('e', work, 19, { id: 'w', name: 'fs.readfile', args: { result: 0 } }),
      ...call(dns, 'resolve4', 'd', 3, 30),
    ]);
    assert.deepEqual(
      poolJobs(events, 4).map(({ name, kind, inferred }) => [name, kind, inferred]),
      [
        ['fs.readfile', 'work', false],
        ['resolve4', 'kernel', false],
      ],
    );
  });
});

test('jobs of which only submissions and returns are known are placed where libuv’s rules had put them', () => {
  fc.assert(
    fc.property(QUEUED_JOBS, fc.integer({ min: 1, max: 9 }), (list, size) => {
      const starts = referenceStarts(list, size);
      const jobs = list.map(({ at, blocked, slow }, index): Unplaced => {
        const returned = (starts[index] as number) + blocked;
        return {
          name: 'x',
          kind: slow ? 'dns' : 'fs',
          submitted: at,
          started: null,
          ended: null,
          returned,
          loop: MAIN,
          tid: null,
          cpu: null,
          inferred: false,
        };
      });
      const found = placeJobs(jobs, size);
      assert.deepEqual(
        found.map(({ started, ended, waited }) => [started, ended, waited]),
        jobs.map(({ submitted, returned }, index) => {
          const start = starts[index] as number;
          return [start, returned, start > submitted];
        }),
      );
    }),
  );
});

test('a job whose run was not seen is inferred', () => {
  const found = poolJobs(
    [event('b', work, 1, { id: 'a' }), event('e', work, 9, { id: 'a', args: { result: 0 } })],
    4,
  );
  assert.deepEqual(
    found.map(({ started, ended, inferred, tid }) => [started, ended, inferred, tid]),
    [[1, 9, true, null]],
  );
});
