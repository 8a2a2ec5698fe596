import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { estimate } from '#plimsoll/advise/estimate.js';
import { loopCosts } from '#plimsoll/advise/loop-costs.js';
import { leastSquares, splitOnThread } from '#plimsoll/advise/on-thread.js';
import { resample } from '#plimsoll/advise/resample.js';
import type { TracedJob } from '#plimsoll/results/trace.js';
import { createRandom } from '#plimsoll/stats/random.js';
import { traceOf } from '../support/trace.js';
import { AMPLE, type SimpleJob, workloadOf } from '../support/workload.js';

const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
const near = (value: number, expected: number, within: number): void =>
  assert.ok(Math.abs(value - expected) <= within, `${value} is not ${expected} within ${within}`);

describe('demand from a trace', () => {
  const machine = { ...AMPLE, cores: 2 };
  const jobs: SimpleJob[] = Array.from({ length: 200 }, (_, index) =>
    index % 2 === 0
      ? { at: index * 3, cpu: 5, before: 0.2, after: 0.2 }
      : { at: index * 3, cpu: 1, blocked: 12, before: 0.2, after: 0.2 },
  );
  const kinds = jobs.map((_, index) => (index % 2 === 0 ? 'crypto' : 'addon'));

  test('CPU and blocked time come out as they went in, though threads waited for cores', () => {
    const { workload } = estimate(traceOf(jobs, kinds, 8, machine));
    const of = (values: Float64Array, kind: string): number =>
      mean(values.filter((_, job) => kinds[job] === kind));
    near(of(workload.cpuMs, 'crypto'), 5, 0.1);
    near(of(workload.cpuMs, 'addon'), 1, 0.1);
    assert.equal(of(workload.blockedMs, 'crypto'), 0);
    near(of(workload.blockedMs, 'addon'), 12, 0.6);
  });

  test('what the event loop takes for a job is found', () => {
    const { workload } = estimate(traceOf(jobs, kinds, 8, machine));
    near(mean(workload.beforeMs) + mean(workload.afterMs), 0.4, 0.1);
  });

  test('who is submitted in a callback follows it; others come at their own time', () => {
    const chain: SimpleJob[] = [
      { at: 5, blocked: 3 },
      { parent: 0, blocked: 3 },
      { parent: 1, at: 4, blocked: 3 },
    ];
    const { workload } = estimate(traceOf(chain, ['addon', 'addon', 'addon'], 4, machine));
    assert.deepEqual([...workload.parent], [-1, 0, 1]);
    assert.deepEqual([...workload.direct], [0, 1, 0]);
    near(workload.atMs[2] as number, 4, 0.01);
  });

  test('CPU time of fs, which no event tells, comes from what the threads used', () => {
    const job = (kind: string, startMs: number, endMs: number): TracedJob => ({
      kind,
      slowIo: false,
      loopThread: 1,
      submitMs: startMs,
      startMs,
      endMs,
      callbackMs: endMs,
      cpuMs: null,
      thread: null,
      inferred: true,
      queued: false,
      parent: null,
      cause: null,
      operation: null,
    });
    const usage = [0, 1, 2, 3].map((index) => ({
      fromMs: 10 * index,
      toMs: 10 * index + 10,
      // fs.stat computes half of its time, fs.read does not; the intervals hold 10 ms of one or of the other.
      pool: { cpuMs: index % 2 === 0 ? 5 : 0, coreWaitMs: 0 },
      eventLoop: { cpuMs: 0, coreWaitMs: 0 },
      other: { cpuMs: 0, coreWaitMs: 0 },
    }));
    const traced = [0, 1, 2, 3].map((index) =>
      job(index % 2 === 0 ? 'fs.stat' : 'fs.read', 10 * index, 10 * index + 10),
    );
    const { cpuMs, blockedMs } = splitOnThread({ jobs: traced, usage });
    near(cpuMs[0] as number, 5, 0.05);
    near(cpuMs[1] as number, 0, 0.05);
    near(blockedMs[1] as number, 10, 0.05);
  });

  describe('of time on a thread that no clock explains', () => {
    const job: TracedJob = {
      kind: 'fs.read',
      slowIo: false,
      loopThread: 1,
      submitMs: 0,
      startMs: 0,
      endMs: 100,
      callbackMs: 100,
      cpuMs: null,
      thread: null,
      inferred: true,
      queued: false,
      parent: null,
      cause: null,
      operation: null,
    };
    const samples = (blockedThreads: number | null) =>
      Array.from({ length: 10 }, (_, index) => ({
        fromMs: 10 * index,
        toMs: 10 * index + 10,
        blockedThreads,
        pool: { cpuMs: 0, coreWaitMs: 0 },
        eventLoop: { cpuMs: 0, coreWaitMs: 0 },
        other: { cpuMs: 0, coreWaitMs: 0 },
      }));
    const blocked = (usage: ReturnType<typeof samples>): number =>
      splitOnThread({ jobs: [job], usage }).blockedMs[0] as number;

    test('all is blocked where samples saw a blocked thread', () => near(blocked(samples(1)), 100, 0.01));
    test('no more than one interval is where they never saw one', () => near(blocked(samples(0)), 10, 0.01));
    test('all is where the kernel does not tell', () => near(blocked(samples(null)), 100, 0.01));

    /** A job of an add-on on a thread that is blocked for 100 ms, while other threads compute and wait for a core. */
    const lent = (kind: string, from: number, to: number) =>
      splitOnThread({
        jobs: [{ ...job, kind, cpuMs: 0, inferred: false }],
        usage: Array.from({ length: 20 }, (_, index) => ({
          ...(samples(index < 10 ? 1 : 0)[0] as ReturnType<typeof samples>[number]),
          fromMs: 10 * index,
          toMs: 10 * index + 10,
          other: index >= from && index < to ? { cpuMs: 6, coreWaitMs: 3 } : { cpuMs: 0, coreWaitMs: 0 },
        })),
      });

    test('what other threads compute meanwhile is computing of an add-on, which cores limit', () => {
      const { cpuMs, blockedMs, lentMs } = lent('sharp', 0, 10);
      near(cpuMs[0] as number, 60, 0.01);
      near(blockedMs[0] as number, 10, 0.01);
      near(lentMs, 60, 0.01);
    });

    test('what they compute at other times is not, nor anything where Node itself waits', () => {
      for (const { cpuMs, blockedMs, lentMs } of [lent('sharp', 10, 20), lent('fs.read', 0, 10)]) {
        near(cpuMs[0] as number, 0, 0.01);
        near(blockedMs[0] as number, 100, 0.01);
        assert.equal(lentMs, 0);
      }
    });
  });

  describe('what an event loop does beside the jobs', () => {
    /** A loop that takes `perJobMs` for each of the jobs that come in an interval, and `share` of its length. */
    const costs = (counts: readonly number[], perJobMs: number, share: number, seenMs = 0) => {
      const jobs = counts.flatMap((count, at) =>
        Array.from({ length: count }, (_, index): TracedJob => {
          const submitMs = 50 * at + 1 + index / 100;
          const times = { submitMs, startMs: submitMs, endMs: submitMs, callbackMs: submitMs + 0.1 };
          return {
            kind: 'fs.stat',
            slowIo: false,
            loopThread: 1,
            cpuMs: null,
            thread: null,
            inferred: true,
            queued: false,
            parent: null,
            cause: null,
            operation: null,
            ...times,
          };
        }),
      );
      const usage = counts.map((count, at) => ({
        fromMs: 50 * at,
        toMs: 50 * at + 50,
        busyThreads: null,
        eventLoop: { cpuMs: count * perJobMs + 50 * share, coreWaitMs: 0 },
        pool: { cpuMs: 0, coreWaitMs: 0 },
        other: { cpuMs: 0, coreWaitMs: 0 },
      }));
      return loopCosts({ jobs, usage, requests: [] }, seenMs);
    };
    const varied = Array.from({ length: 60 }, (_, index) => 2 + ((index * 7) % 11));

    test('is told from what it does for them where there is much to see', () => {
      const { perJobMs, background } = costs(varied, 0.5, 0.4);
      near(perJobMs, 0.5, 0.01);
      near(background.share, 0.4, 0.01);
    });

    test('is nothing where the loop is saturated, however many jobs it serves', () => {
      const { perJobMs, background } = costs(varied, 0, 0.95);
      assert.equal(background.share, 0);
      near(perJobMs, (60 * 50 * 0.95) / varied.reduce((sum, count) => sum + count, 0), 0.001);
    });

    test('is no more than callbacks leave, of what they were seen to compute', () => {
      const usedMs = 60 * 50 * 0.4;
      near(costs(varied, 0, 0.4).background.share, 0.4, 0.01);
      near(costs(varied, 0, 0.4, usedMs / 2).background.share, 0.2, 0.01);
      assert.equal(costs(varied, 0, 0.4, usedMs).background.share, 0);
    });

    test('is taken for nothing where a handful of intervals would show anything', () => {
      const { perJobMs, background } = costs([700, 650, 640], 0.04, 0.1);
      assert.equal(background.share, 0);
      near(perJobMs, 0.0475, 0.001);
    });
  });

  test('a trace without jobs has no demand', () => {
    assert.throws(() => estimate({ processes: [], durationMs: 1000 }), {
      code: 'PLIMSOLL_NO_POOL_JOBS',
    });
  });
});

test('least squares stay within their bounds', () => {
  const [a = 0, b = 0] = leastSquares(
    [
      [1, 2],
      [1, 0],
    ],
    [3, 4],
    10,
  );
  near(a, 2, 1e-6);
  near(b, 1, 1e-6);
  assert.deepEqual(leastSquares([[1, 1]], [-5, -5], 1), [0]);
  assert.deepEqual(leastSquares([[1, 1]], [50, 50], 1), [1]);
});

test('a resampled run has as many families, whole, in order, and is the same for the same seed', () => {
  const work = workloadOf(
    Array.from({ length: 90 }, (_, index) =>
      index % 3 === 1 ? { parent: index - 1, cpu: index } : { at: index, cpu: index },
    ),
  );
  const again = resample(work, createRandom(5));
  assert.equal(again.parent.filter((parent) => parent === -1).length, 60);
  for (const [job, parent] of again.parent.entries())
    if (parent !== -1) assert.equal(again.cpuMs[job], (again.cpuMs[parent] as number) + 1);
  const moments = again.atMs.filter((_, job) => again.parent[job] === -1);
  assert.deepEqual(
    [...moments],
    [...moments].sort((a, b) => a - b),
  );
  assert.deepEqual(again, resample(work, createRandom(5)));
  assert.notDeepEqual(again.cpuMs, resample(work, createRandom(6)).cpuMs);
});
