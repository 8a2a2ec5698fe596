import assert from 'node:assert/strict';
import { createHistogram } from 'node:perf_hooks';
import { test } from 'node:test';
import { WaitHistogram } from '../dist/host/wait-histogram.js';
import { WaitLog } from '../dist/host/wait-log.js';
import { BUCKETS, bucketOf, middleOf } from '../dist/shared/buckets.js';
import { Memory, type Waits } from '../dist/shared/memory.js';
import { seeded } from './support.js';

interface Fixture {
  readonly histogram: WaitHistogram;
  readonly log: WaitLog;
  readonly waits: Waits;
  record(nanoseconds: number): void;
  /** Nanoseconds; the clock of the log. */
  time: number;
}

function fixture(): Fixture {
  const { fast: waits } = new Memory();
  const made = {
    time: 1e12,
    waits,
    record(nanoseconds: number): void {
      const bucket = bucketOf(nanoseconds);
      waits.counts[bucket] = (waits.counts[bucket] as number) + 1;
    },
  };
  const log = new WaitLog(() => made.time);
  log.begin(waits);
  return Object.assign(made, { log, histogram: new WaitHistogram(log) });
}

/** A canary that was sent some nanoseconds ago. */
function send({ waits, time }: Fixture, slot: number, age: number, weight = 1): void {
  waits.weights[slot] = weight;
  waits.sentAt[slot] = time - age;
}

const isNear = (value: number, expected: number, part: number, what: string): void =>
  assert.ok(Math.abs(value / expected - 1) <= part, `${what}: ${value} is not near ${expected}`);

test('every wait is in a bucket whose middle is within one part in 256', () => {
  const random = seeded(1);
  for (let round = 0; round < 10_000; round++) {
    const wait = 10 ** (random() * 12.5);
    isNear(middleOf(bucketOf(wait)), wait, 1 / 256, 'the middle');
  }
  for (let power = 0; power < 42; power++) assert.equal(bucketOf(2 ** power), power * 128);
  assert.deepEqual([bucketOf(0), bucketOf(-5), bucketOf(1e300)], [0, 0, BUCKETS - 1]);
});

test('it says what a histogram of perf_hooks says of the same waits', () => {
  const random = seeded(2);
  const made = fixture();
  const theirs = createHistogram();
  for (let round = 0; round < 20_000; round++) {
    const wait = Math.ceil(10 ** (3 + random() * 6));
    made.record(wait);
    theirs.record(wait);
  }
  const { histogram: ours } = made;
  assert.equal(ours.count, theirs.count);
  for (const name of ['min', 'max', 'mean', 'stddev'] as const) isNear(ours[name], theirs[name], 0.01, name);
  for (const percent of [0.001, 1, 50, 90, 99, 99.9, 100])
    isNear(ours.percentile(percent), theirs.percentile(percent), 0.01, `percentile ${percent}`);
  const percents = [...theirs.percentiles.keys()].filter((percent) => percent < 99);
  assert.deepEqual([...ours.percentiles.keys()].slice(0, percents.length), percents);
  assert.equal([...ours.percentiles.keys()].at(-1), 100);
  const known = Object.keys(JSON.parse(JSON.stringify(theirs)) as object);
  assert.deepEqual(
    Object.keys(ours.toJSON()).filter((key) => !known.includes(key)),
    [],
  );
});

test('without a wait it says what an empty one of perf_hooks says', () => {
  const { histogram: ours } = fixture();
  const theirs = createHistogram();
  for (const name of ['count', 'max', 'mean', 'stddev'] as const)
    assert.equal(ours[name], theirs[name], name);
  assert.equal(ours.min, theirs.min);
  assert.equal(ours.percentile(50), theirs.percentile(50));
  assert.deepEqual([...ours.percentiles], [...theirs.percentiles]);
});

test('a percentile is checked as Node checks it', () => {
  const { histogram } = fixture();
  for (const wrong of ['50', undefined, null, {}])
    assert.throws(() => histogram.percentile(wrong as number), {
      name: 'TypeError',
      code: 'PLIMSOLL_MONITOR_BAD_OPTION',
    });
  for (const wrong of [0, -1, 100.1, Number.NaN])
    assert.throws(() => histogram.percentile(wrong), {
      name: 'RangeError',
      code: 'PLIMSOLL_MONITOR_BAD_OPTION',
    });
});

test('a pool that stands still is not flattered: what is out counts', () => {
  const made = fixture();
  for (let round = 0; round < 100; round++) made.record(100_000);
  for (let slot = 0; slot < 100; slot++) send(made, slot, 60e9);
  assert.equal(made.histogram.count, 200);
  isNear(made.histogram.mean, 30e9, 0.01, 'mean');
  isNear(made.histogram.max, 60e9, 0.01, 'max');
  made.time += 60e9;
  isNear(made.histogram.max, 120e9, 0.01, 'max, a minute later');
});

test('what has just been sent does not make a slow pool look fast', () => {
  const made = fixture();
  for (let round = 0; round < 10; round++) made.record(1e9);
  for (let slot = 0; slot < 10; slot++) send(made, slot, 1000);
  isNear(made.histogram.mean, 1e9, 0.01, 'mean');
  isNear(made.histogram.min, 1e9, 0.01, 'min');
});

test('a canary that returns during a reading counts once', () => {
  const made = fixture();
  for (let returned = 1; returned <= 5; returned++) {
    send(made, 0, 1000);
    const { time } = made;
    let isOut = true;
    Object.defineProperty(made, 'time', {
      configurable: true,
      get: () => {
        if (isOut) made.waits.count(0, bucketOf(1000));
        isOut = false;
        return time;
      },
    });
    isNear(made.histogram.mean, 1000, 0.01, 'mean');
    assert.equal(isOut, false);
    Object.defineProperty(made, 'time', { configurable: true, value: time });
    assert.equal(made.histogram.count, returned);
  }
});

test('a Worker that stops in the middle of a count stops no reader', () => {
  const made = fixture();
  for (let round = 0; round < 3; round++) made.record(1000);
  assert.throws(() =>
    made.waits.count(0, { [Symbol.toPrimitive]: () => assert.fail() } as unknown as number),
  );
  assert.equal(made.histogram.count, 3);
});

/** Their example of 1958 (section 2.1): deaths after 0.8, 3.1, 5.4 and 9.2 months, losses after 1.0, 2.7, 7.0 and 12.1. */
test('waits that have not ended are spread as Kaplan and Meier do it', () => {
  const made = fixture();
  const month = 1e9;
  for (const death of [0.8, 3.1, 5.4, 9.2]) made.record(death * month);
  for (const [slot, loss] of [1, 2.7, 7, 12.1].entries()) send(made, slot, loss * month);
  // At risk when each ends: 8, 5, 4 and 2.
  const survival = [
    7 / 8,
    (7 / 8) * (4 / 5),
    (7 / 8) * (4 / 5) * (3 / 4),
    (7 / 8) * (4 / 5) * (3 / 4) * (1 / 2),
  ];
  const masses = [
    1 - (survival[0] as number),
    ...survival.slice(1).map((s, index) => (survival[index] as number) - s),
  ];
  const expected =
    [0.8, 3.1, 5.4, 9.2].reduce((sum, death, index) => sum + death * (masses[index] as number), 0) +
    12.1 * (survival[3] as number);
  isNear(made.histogram.mean, expected * month, 0.005, 'mean');
  assert.equal(made.histogram.count, 8);
  isNear(made.histogram.percentile(50), 9.2 * month, 0.005, 'median');
});

test('reset forgets what was counted, and nothing that comes later', () => {
  const made = fixture();
  for (let round = 0; round < 10; round++) made.record(1e6);
  made.histogram.reset();
  assert.equal(made.histogram.count, 0);
  made.record(1e6);
  made.record(5e6);
  assert.equal(made.histogram.count, 2);
  isNear(made.histogram.mean, 3e6, 0.01, 'mean');
});

test('what was measured outlives its Worker, and what was out counts with its age', () => {
  const made = fixture();
  made.record(1e6);
  send(made, 0, 3e9, 4);
  made.log.end();
  made.time += 60e9;
  assert.equal(made.histogram.count, 5);
  isNear(made.histogram.max, 3e9, 0.01, 'max');
  made.log.begin(new Memory().fast);
  assert.equal(made.histogram.count, 5);
});
