import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '#plimsoll/stats/random.js';
import type { Sample } from '#plimsoll/tune/child/messages.cjs';
import { delayOfTimers, figuresOf, firstOpen, type ProcessLog } from '#plimsoll/tune/live/figures.js';

type Row = readonly [start: number, end: number, route: number, kind: number];
const [ANSWERED, FAILED, ABORTED] = [0, 1, 2];

function sample(at: number, rows: readonly Row[], more: Partial<Sample> = {}): Sample {
  const records = Float64Array.from(
    rows.flatMap(([start, end, route, kind]) => [start, end, 4 * route + kind]),
  );
  return { at, cpuMs: at / 2, turn: at, busy: 2, lost: 0, open: [], records, ...more };
}

const log = (samples: readonly Sample[]): ProcessLog => ({
  samples,
  routes: new Map([
    [1, 'GET /'],
    [2, 'POST /'],
  ]),
});

const span = { start: 1000, end: 2000 };

describe('figures of a span', () => {
  const figures = figuresOf(
    [
      log([
        sample(900, []),
        sample(2100, [
          // Began before, ended within.
          [950, 1050, 1, ANSWERED],
          [1000, 1010, 1, ANSWERED],
          [1900, 1999, 2, ANSWERED],
          // Ended while the window drained.
          [1990, 2090, 1, ANSWERED],
          [1500, 1510, 1, FAILED],
          [1500, 1600, 1, ABORTED],
          // Not of this span at all.
          [2000, 2050, 1, ANSWERED],
        ]),
        sample(2200, [], { open: [1100, 2150, 400] }),
      ]),
    ],
    span,
  );

  test('latencies are those of what began within it, whenever that ended', () => {
    assert.deepEqual(
      figures.routes,
      new Map([
        ['GET /', [10, 100]],
        ['POST /', [99]],
      ]),
    );
  });

  test('throughput is what ended within it, with failures and without what clients gave up', () => {
    assert.equal(figures.completed, 4);
    assert.equal(figures.failed, 1);
    assert.equal(figures.seconds, 1);
  });

  test('what goes on', () => {
    assert.equal(figures.unfinished, 1);
    // At its end: one that drained, one unfinished, one that never ends; at its start: the first, and the one that never ends.
    assert.equal(figures.inFlight, 3);
    assert.equal(figures.inFlightGrowth, 1);
  });

  test('CPU lies between samples in a straight line; busy threads are a mean', () => {
    assert.ok(Math.abs(figures.cpuCores - 0.5) < 1e-9);
    const [first, second] = [1200, 1800].map((at) => sample(at, [], { busy: at / 600 }));
    assert.equal(figuresOf([log([first as Sample, second as Sample])], span).busyThreads, 2.5);
    assert.equal(figuresOf([log([sample(1500, [], { busy: null })])], span).busyThreads, null);
  });

  test('of several processes together', () => {
    const both = figuresOf(
      [log([sample(1500, [[1400, 1450, 1, ANSWERED]])]), log([sample(1500, [[1400, 1460, 1, ANSWERED]])])],
      span,
    );
    assert.deepEqual(both.routes.get('GET /'), [50, 60]);
    assert.equal(both.busyThreads, 4);
  });

  test('what is still open', () => {
    const logs = [log([sample(1500, [], { open: [1, 1400] })])];
    assert.equal(firstOpen(logs, span), 1400);
    assert.equal(firstOpen(logs, { start: 1450, end: 2000 }), null);
  });
});

describe('the delay of a timer that falls due at a random moment', () => {
  /** A loop that is busy in these stretches: how late a timer of 10 ms is, and what the truth is. */
  function simulate(stretches: readonly (readonly [start: number, end: number])[], until: number) {
    const free = (time: number): number =>
      stretches.find(([start, end]) => start <= time && time < end)?.[1] ?? time;
    const late: number[] = [];
    for (let time = 0; time < until; ) {
      const due = time + 10;
      time = free(due);
      late.push(time - due);
    }
    const moments = Array.from({ length: 20_000 }, (_, index) => (index * until) / 20_000);
    const delays = moments.map((time) => free(time) - time).sort((a, b) => a - b);
    return {
      told: delayOfTimers(late),
      mean: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
      p99: delays[19_800] as number,
    };
  }

  test('long stalls count for their length', () => {
    const { told, mean, p99 } = simulate(
      [
        [500, 800],
        [3000, 3100],
      ],
      10_000,
    );
    assert.ok(Math.abs(told.mean / mean - 1) < 0.1, `${told.mean}, not ${mean}`);
    assert.ok(Math.abs(told.p99 / p99 - 1) < 0.1, `${told.p99}, not ${p99}`);
  });

  test('short ones are seen as often as they are met', () => {
    const random = createRandom(7);
    const stretches: [number, number][] = [];
    for (let time = 0; time < 8_000; ) {
      const start = time + 4 * random.next();
      time = start + 8 * random.next();
      stretches.push([start, time]);
    }
    const { told, mean, p99 } = simulate(stretches, 8_000);
    assert.ok(Math.abs(told.mean / mean - 1) < 0.15, `${told.mean}, not ${mean}`);
    assert.ok(Math.abs(told.p99 / p99 - 1) < 0.15, `${told.p99}, not ${p99}`);
  });

  test('a free loop has none, and neither has one that was not seen', () => {
    const none = { mean: 0, p99: 0 };
    assert.deepEqual(delayOfTimers([0, 0, 0]), none);
    assert.deepEqual(delayOfTimers([]), none);
  });
});
