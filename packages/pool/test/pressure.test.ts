import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pool } from '@plimsoll/pool';
import fc from 'fast-check';
import { Pressure } from '../dist/host/timing.js';

const WINDOW = 5000;
const SLOT = 250;

/** The flow of a pool by a clock of the test's. */
function scripted() {
  const flow = { completed: 0, outstanding: 0 };
  const pressure = new Pressure(flow, 0);
  return {
    at: (now: number) => pressure.at(now),
    enter(now: number, tasks = 1) {
      for (let task = 0; task < tasks; task++) {
        pressure.before(now);
        flow.outstanding++;
      }
    },
    leave(now: number, tasks = 1) {
      for (let task = 0; task < tasks; task++) {
        pressure.before(now);
        flow.outstanding--;
        flow.completed++;
      }
    },
  };
}

test('pressure is what came in by what went out', () => {
  const pool = scripted();
  assert.ok(Number.isNaN(pool.at(0)), 'nothing has happened');
  pool.enter(10, 3);
  assert.equal(pool.at(11), Number.POSITIVE_INFINITY, 'nothing went out');
  pool.leave(20, 2);
  assert.equal(pool.at(21), 1.5);
  pool.leave(600, 1);
  assert.equal(pool.at(700), 1);
});

test('what lies before the window counts no more', () => {
  const pool = scripted();
  pool.enter(0, 100);
  pool.leave(100, 50);
  assert.equal(pool.at(4900), 2);
  pool.leave(4999, 10);
  assert.equal(pool.at(4999), 100 / 60);
  // The first slot has left the window, and nobody was there to notice.
  assert.equal(pool.at(5300), 0 / 10);
  pool.enter(5400, 5);
  assert.equal(pool.at(5400), 0.5);
  assert.ok(Number.isNaN(pool.at(60_000)), 'nothing has happened for a minute');
  pool.leave(60_100, 40);
  assert.equal(pool.at(60_101), 0);
});

test('pressure agrees with counting every event', () => {
  const event = fc.record({
    wait: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 9000 })),
    enters: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 0, max: 8000 }), (events, later) => {
      const pool = scripted();
      const all: { now: number; enters: boolean }[] = [];
      let now = 0;
      let inside = 0;
      for (const { wait, enters } of events) {
        now += wait;
        const enters_ = enters || inside === 0;
        inside += enters_ ? 1 : -1;
        all.push({ now, enters: enters_ });
        if (enters_) pool.enter(now);
        else pool.leave(now);
      }
      now += later;
      const from = (Math.floor(now / SLOT) - WINDOW / SLOT + 1) * SLOT;
      const inWindow = all.filter((one) => one.now >= from);
      const came = inWindow.filter(({ enters }) => enters).length;
      assert.equal(pool.at(now), came / (inWindow.length - came));
    }),
  );
});

test("pool.stats.pressure follows the pool's own tasks", async () => {
  const filename = new URL('../test/fixtures/tasks.mjs', import.meta.url);
  await using pool = new Pool({ filename, minThreads: 1, maxThreads: 1 });
  assert.ok(Number.isNaN(pool.stats.pressure));
  const controller = new AbortController();
  const waiting = pool.run(null, { signal: controller.signal });
  assert.equal(pool.stats.pressure, Number.POSITIVE_INFINITY);
  controller.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  // Everything that came in went out, cancelled or not; long pauses of the machine leave nothing in the window.
  const { pressure } = pool.stats;
  assert.ok(pressure === 1 || pressure === 0 || Number.isNaN(pressure), String(pressure));
  await using untimed = new Pool({ filename, minThreads: 1, maxThreads: 1, recordTiming: false });
  const untimedTask = untimed.run(null, { signal: AbortSignal.abort() });
  await assert.rejects(untimedTask);
  assert.ok(Number.isNaN(untimed.stats.pressure));
});
