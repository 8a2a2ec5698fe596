import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captureEnvironment } from '@plimsoll/lab';
import { type WaitingResult, waitingPage } from '#studies/waiting/page.js';
import { PAIRS, type Pair, scheduleOf } from '#studies/waiting/pairs.js';
import { ROOT } from './support.js';

const page = (fell: number, graphMs: number): string => {
  const run = (waitMs: number) => ({ waitMs, fallsByMs: 10, tookMs: waitMs + 1 });
  const generations = Array(6).fill({ with: run(10.5), without: run(10.5 - fell) });
  const result: WaitingResult = {
    ...{ schema: 'plimsoll/1', kind: 'waiting', effort: 'full', startedAt: '2026-11-27T00:00:00.000Z' },
    ...{ seconds: 150, runMs: 1500, environment: captureEnvironment({ directory: ROOT }) },
    pairs: [
      { id: 'logins behind gzip', generations: Array(6).fill({ with: run(12), without: run(2) }) },
      { id: 'lookups behind reads', generations },
    ],
    programs: [
      { name: 'rollup', jobs: 7, measuredMs: 100, graphMs, failure: null },
      { name: 'sharp', jobs: 0, measuredMs: 0, graphMs: 0, failure: 'npm ci: no network' },
    ],
  };
  return waitingPage(result);
};

test('study waiting: the wait that falls by something else is the worst row', () => {
  assert.match(page(10, 100), /\*\*In 2 of 2 pairs .* falls by 1\.00 times/);
  const text = page(8, 100);
  assert.match(
    text,
    /\*\*In 1 of 2 pairs .* In the worst pair, \*lookups behind reads\*, it falls by 0\.80 times/,
  );
  assert.match(
    text,
    /^\| lookups behind reads \| 10\.50 \| 2\.50 \| 10\.00 \| 0\.80 \[0\.80, 0\.80\] \| 0\.80 \[/m,
  );
  assert.doesNotMatch(text, /undefined|NaN/);
});

test('study waiting: graphs that are too wide are said, and what failed', () => {
  assert.match(page(10, 101), /\*\*In 1 of 1 programs/);
  const text = page(10, 103);
  assert.match(text, /\*\*In 0 of 1 programs .* The largest difference is 3\.0 % \(\*rollup\*\)/);
  assert.match(text, /^\| sharp \| npm ci: no network \|/m);
});

test('study waiting: victims come at random moments, blockers by bursts', () => {
  const [pair] = PAIRS as [Pair];
  let seed = 0;
  const calls = scheduleOf(pair, 2000, () => (seed = (seed + 0.37) % 1));
  const victims = calls.filter(([, route]) => route === pair.victim);
  assert.ok(victims.length > 100 && calls.length > victims.length);
  assert.ok(calls.every(([at]) => at >= 0 && at < 2000));
});
