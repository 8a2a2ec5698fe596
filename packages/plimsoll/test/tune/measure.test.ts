import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureSizes } from '#plimsoll/tune/live/measure.js';
import type { LiveTarget, LiveWindow, WindowPlan } from '#plimsoll/tune/live/target.js';

test('under caution: at most a tenth of the windows is worse, and a hopeless size is left', async (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const meanMs: Record<number, number> = { 1: 160, 4: 19, 8: 20 };
  const tried: number[] = [];
  const window = async ({ block, order, arm, size }: WindowPlan): Promise<LiveWindow> => {
    nowMs += 300;
    tried.push(size);
    // One of two in a hundred more than the other.
    const mean = (meanMs[size] as number) * (tried.length % 2 === 0 ? 1 : 1.02);
    return {
      ...{ block, order, arm, size, seconds: 0.25, completed: 40, failed: 0, unfinished: 0 },
      routes: new Map([['GET /', Array.from({ length: 40 }, () => mean)]]),
      ...{ inFlight: 4, inFlightGrowth: 0, loopDelayMs: { mean: 0.5, p99: 2 }, cpuCores: 1 },
      ...{ machineBusyCores: 1, queueWaitMs: { fast: 1, slow: 1 }, busyThreads: 1 },
      ...{ isTrouble: false, disturbed: false },
    };
  };
  const target = { pool: { limit: 8 }, window, resize: async (size: number) => size };
  const { plan, caution } = await measureSizes(target as unknown as LiveTarget, {
    ...{ sizes: [1, 4, 8], baseline: 8, objective: 'mean', timeMs: 60_000, seed: 1, isCautious: true },
    signal: new AbortController().signal,
  });
  assert.ok(plan.left?.includes(1), `left: ${plan.left}`);
  assert.equal(tried.filter((size) => size === 1).length, 1);
  assert.ok(tried.includes(4));
  assert.deepEqual(new Set(tried.slice(0, 9)), new Set([8]));
  const { worse, windows } = caution ?? assert.fail();
  assert.deepEqual([worse, windows], [1, tried.length]);
});
