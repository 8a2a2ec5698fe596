import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sum } from '../dist/host/censored.js';
import { middleOf } from '../dist/shared/buckets.js';
import { Memory, SLOTS } from '../dist/shared/memory.js';
import { Prober } from '../dist/worker/prober.js';
import { seeded } from './support.js';

function fixture(perHalving: number, random = seeded(1)) {
  const { fast: waits } = new Memory();
  const out: (() => void)[] = [];
  const returned: { sentAt: number; wait: number }[] = [];
  const made = { waits, out, returned, time: 1, coreWait: 0 };
  const prober = new Prober({
    waits,
    random,
    perHalving,
    now: () => made.time,
    call: (done) => out.push(done),
    coreWait: () => made.coreWait,
    onWait: (sentAt, wait) => returned.push({ sentAt, wait }),
  });
  return Object.assign(made, { prober });
}

test('canaries go whether or not earlier ones have come back', () => {
  const { prober, out, waits } = fixture(16);
  for (let beat = 0; beat < 16; beat++) prober.tick();
  assert.equal(out.length, 16);
  assert.equal(waits.sentAt.filter((sentAt) => sentAt !== 0).length, 16);
});

test('one that goes for several beats stands for as many', () => {
  const { prober, out, waits } = fixture(16);
  for (let beat = 0; beat < 4; beat++) prober.tick(4);
  assert.equal(out.length, 4);
  for (const done of out) done();
  assert.equal(sum(waits.counts), 16);
});

test('the wait is from the call to its callback, and its slot is free again', () => {
  const made = fixture(16);
  made.prober.tick();
  made.time = 7001;
  for (const done of made.out) done();
  assert.deepEqual(made.returned, [{ sentAt: 1, wait: 7000 }]);
  assert.equal(sum(made.waits.counts), 1);
  assert.ok(made.waits.sentAt.every((sentAt) => sentAt === 0));
});

test('what this thread waited for a core is no wait for one of the pool', () => {
  const made = fixture(16);
  for (let sent = 0; sent < 2; sent++) made.prober.tick();
  made.time = 7001;
  made.coreWait = 5000;
  made.out[0]?.();
  made.coreWait = 8000;
  made.out[1]?.();
  assert.deepEqual(
    made.returned.map(({ wait }) => wait),
    [2000, 0],
  );
});

test('a pool that stands still for a day has some hundred canaries out, and they stand for all', () => {
  const { prober, out, waits } = fixture(16);
  const beats = 24 * 3600 * 50;
  for (let beat = 0; beat < beats; beat++) prober.tick();
  assert.ok(out.length < SLOTS * 0.7, `${out.length} are out`);
  for (const done of out) done();
  // The last of them stand for a sixteenth of all each, so the sum is right to some tenths.
  const counted = sum(waits.counts);
  assert.ok(counted > beats / 2 && counted < beats * 2, `${counted} of ${beats}`);
});

test('rarer canaries are not biased: the mean wait is that of all which might have gone', () => {
  const made = fixture(4, seeded(7));
  const rounds = 400;
  // The pool stands still for 100 ms of each second, then lets all go.
  for (let beat = 0; beat < rounds * 1000; beat++) {
    made.time += 1e6;
    made.prober.tick();
    if (beat % 1000 >= 99) for (const done of made.out.splice(0)) done();
  }
  const waits = [...made.waits.counts].map((count, bucket) => count * middleOf(bucket));
  const expected = (99 * 100) / 2 / 1000;
  const mean = waits.reduce((one, other) => one + other) / sum(made.waits.counts) / 1e6;
  assert.ok(made.returned.length < rounds * 940, 'some did not go');
  // Its standard error is about 2 %.
  assert.ok(Math.abs(mean / expected - 1) < 0.1, `${mean} ms, not ${expected}`);
});

test('canaries that come back in another order keep their own waits', () => {
  const made = fixture(16);
  made.prober.tick();
  made.time = 1001;
  made.prober.tick();
  made.time = 2001;
  for (const done of made.out.reverse()) done();
  assert.deepEqual(made.returned, [
    { sentAt: 1001, wait: 1000 },
    { sentAt: 1, wait: 2000 },
  ]);
});
