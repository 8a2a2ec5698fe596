import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { UsageInterval } from 'plimsoll';
import type { Unplaced } from '#plimsoll/libuv/job.js';
import { placeWithin } from '#plimsoll/trace/service-limits.js';

const MAIN = 7;
const INTERVAL_MS = 50;
const nothing = { cpuMs: 0, coreWaitMs: 0 };
const clock = (us: number): number => us / 1000;

/** A write whose result was taken `ms` after its submission. */
const write = (submitMs: number, ms: number, loop = MAIN): Unplaced => ({
  name: 'write',
  kind: 'fs',
  submitted: submitMs * 1000,
  started: null,
  ended: null,
  returned: (submitMs + ms) * 1000,
  tid: null,
  cpu: null,
  loop,
  inferred: false,
});

/** What looks told: the event loop was at work for `loopMs` of each interval, and nobody was seen at work in the pool. */
const looks = (intervals: number, loopMs: number): UsageInterval[] =>
  Array.from({ length: intervals }, (_, index) => ({
    fromMs: index * INTERVAL_MS,
    toMs: (index + 1) * INTERVAL_MS,
    blockedThreads: null,
    eventLoop: { cpuMs: loopMs, coreWaitMs: 0 },
    pool: nothing,
    other: nothing,
  }));

const lengths = (jobs: readonly Unplaced[], size: number, usage: readonly UsageInterval[]): number[] =>
  placeWithin(jobs, size, usage, MAIN, clock).map(
    ({ started, ended }) => ((ended ?? 0) - (started ?? 0)) / 1000,
  );

describe('how long jobs whose end is not known were on a thread', () => {
  const jobs = Array.from({ length: 8 }, (_, index) => write(index, 100));

  test('until their result was taken where no look says anything else', () => {
    assert.deepEqual(lengths(jobs, 8, []), Array(8).fill(100));
  });

  test('no longer than the looks saw, where the event loop was at work all the time', () => {
    for (const length of lengths([write(0, 1), ...jobs], 9, looks(4, INTERVAL_MS)))
      assert.ok(length < 5, `${length} ms`);
  });

  test('nearly until their result was taken, whatever the looks saw, where the event loop was idle', () => {
    const [, ...found] = lengths([write(0, 1), ...jobs], 9, looks(4, 2));
    // The last interval may have been all wait, and 4 ms of it are not booked yet.
    for (const length of found) assert.ok(length >= 100 - 2 * (2 + 4) && length <= 100, `${length} ms`);
  });

  test('of other event loops the looks do not tell whether they were idle', () => {
    const others = Array.from({ length: 8 }, (_, index) => write(index, 100, MAIN + 1));
    for (const length of lengths([write(0, 1), ...others], 9, looks(4, 2)))
      assert.ok(length < 5, `${length} ms`);
  });
});
