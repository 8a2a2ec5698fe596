import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { version } from '@plimsoll/pool';
import fc from 'fast-check';
import { Timing } from '../dist/host/timing.js';
import { Histogram, Times } from '../dist/shared/histogram.js';
import { poolFor, until } from './support.js';

const milliseconds = fc.array(fc.double({ min: 1e-5, max: 1e6, noNaN: true }), { maxLength: 200 });

const histogramOf = (...lists: number[][]): Histogram => {
  const histogram = new Histogram();
  for (const time of lists.flat()) histogram.record(time);
  return histogram;
};

/** A bucket is one part in 64 wide, and its middle stands for it. */
function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= expected / 64, `${actual} instead of ${expected}`);
}

test('percentiles, extremes and moments are those of the recorded times', () => {
  fc.assert(
    fc.property(milliseconds, fc.double({ min: 0.001, max: 100, noNaN: true }), (times, percent) => {
      fc.pre(times.length > 0);
      const histogram = histogramOf(times);
      const sorted = times.toSorted((one, other) => one - other);
      const rank = Math.max(1, Math.ceil((percent / 100) * times.length));
      assertNear(histogram.percentile(percent), sorted[rank - 1] as number);
      const { min, max, mean } = histogram.summary();
      assert.equal(min, sorted[0]);
      assert.equal(max, sorted.at(-1));
      assertNear(mean, times.reduce((sum, time) => sum + time, 0) / times.length);
    }),
  );
});

test('times that were added are as if recorded here; those taken away as if never recorded', () => {
  fc.assert(
    fc.property(milliseconds, milliseconds, (first, second) => {
      const both = histogramOf(first);
      both.add(histogramOf(second));
      const { mean, average, stddev, ...exact } = histogramOf(first, second).summary();
      const added = both.summary();
      for (const [name, value] of Object.entries(exact)) assert.equal(added[name as 'min'], value, name);

      both.subtract(histogramOf(first));
      assert.equal(both.count, second.length);
      const left = both.summary();
      const own = histogramOf(second).summary();
      for (const name of ['min', 'p50', 'p99', 'max'] as const) assertNear(left[name], own[name]);
    }),
  );
});

test('times of workers that have died stay, a reset takes away all before it, and the total knows none', () => {
  const [dead, alive] = [new Times(), new Times()];
  const workers = new Set([{ times: dead }, { times: alive }]);
  const timing = new Timing({ completed: 0, outstanding: 0, workers, exiting: [] });
  const die = (times: Times): void => {
    timing.died(times);
    for (const worker of workers) if (worker.times === times) workers.delete(worker);
  };
  dead.run.record(10);
  alive.run.record(20);
  die(dead);
  assert.equal(timing.since('run').summary().min, 10);
  assert.equal(timing.since('run').summary().max, 20);
  assert.equal(timing.since('wait').count, 0);
  timing.reset('run');
  assert.equal(timing.since('run').count, 0);
  assert.equal(timing.since('run').summary().max, 0);
  alive.run.record(40);
  die(alive);
  assert.equal(timing.since('run').count, 1);
  assertNear(timing.since('run').summary().max, 40);
  assert.equal(timing.ever('run').sum, 70);
});

test('what is read after a task is done has the task, its worker dead or alive', async (t) => {
  const pool = poolFor(t, { minThreads: 0, maxThreads: 1, idleTimeout: 1 });
  for (let task = 1; task <= 3; task++) {
    await pool.run({ a: 1, b: 2 });
    const { runTime, waitTime } = pool.histogram;
    assert.ok(runTime.max > 0 && waitTime.max > 0 && pool.utilization > 0);
    await until(() => pool.threads.length === 0);
    assert.equal(pool.histogram.runTime.max, runTime.max);
  }
  pool.histogram.resetWaitTime();
  assert.equal(pool.histogram.waitTime.max, 0);
  assert.ok(pool.histogram.runTime.max > 0);
});

test('the version is that of package.json', () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  assert.equal(version, (JSON.parse(text) as { version: string }).version);
});

test('times up to a bound are those whose bucket has its middle there or below', () => {
  const bound = fc.oneof(fc.double({ min: 0, max: 1e7, noNaN: true }), fc.constant(Number.POSITIVE_INFINITY));
  const middle = (time: number): number => {
    // The percentile is the middle of a bucket, unless that is beyond the extremes.
    return histogramOf([1e-6, time, 1e9]).percentile(50);
  };
  fc.assert(
    fc.property(milliseconds, bound, (times, most) => {
      const expected = times.filter((time) => middle(time) <= most).length;
      assert.equal(histogramOf(times).countUpTo(most), expected);
    }),
    { numRuns: 50 },
  );
});
