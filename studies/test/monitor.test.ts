import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { captureEnvironment } from '@plimsoll/lab';
import { exactWaits } from '#studies/monitor/exact.js';
import { LOADS, monitorPage } from '#studies/monitor/page.js';
import type { Accuracy, MonitorResult } from '#studies/monitor/result.js';
import { ROOT, study } from './support.js';

test('study monitor: the exact wait is that of a job which comes at any time', () => {
  // Two jobs at once, each takes 10 ms; a third one comes when the pool has been idle for 20 ms.
  const exact = exactWaits([
    { submitMs: 100, startMs: 100, endMs: 110 },
    { submitMs: 100, startMs: 110, endMs: 120 },
    { submitMs: 140, startMs: 140, endMs: 150 },
  ]);
  assert.equal(exact.jobsMean, 10 / 3);
  // From 100 to 120 the wait falls from 20 to 0, from 140 to 150 from 10 to 0.
  assert.ok(Math.abs(exact.mean - (200 + 50) / 50) < 0.05, String(exact.mean));
  assert.ok(Math.abs(exact.p99 - 19.5) < 0.2, String(exact.p99));
  assert.ok(Math.abs(exact.utilization - 30 / 50) < 1e-9);
});

const row = (load: string, monitorMean: number): Accuracy => ({
  ...{ load, utilization: 0.5, seconds: 10, jobs: 100, canaries: 90, jobsMean: 10, exactMean: 10 },
  ...{ monitorMean, standardError: 0.5, exactP99: 40, monitorP99: 41 },
});

function result(accuracy: readonly Accuracy[]): MonitorResult {
  const window = { isOn: false, cores: 0.001, jobsPerSecond: 1000 };
  const on = { isOn: true, cores: 0.02, jobsPerSecond: 980 };
  return {
    ...{
      schema: 'plimsoll/1',
      kind: 'monitor',
      effort: 'full',
      startedAt: '2026-01-01T00:00:00.000Z',
      seconds: 9,
    },
    environment: captureEnvironment({ directory: ROOT }),
    accuracy,
    loop: [
      { isBlocked: true, loopBusy: 0.8, loopDelayMean: 40, canaries: 50, monitorMean: 0.1, monitorP99: 0.3 },
    ],
    cost: {
      idle: [window, on],
      saturated: [window, on],
      memory: { resident: 9 * 2 ** 20, anonymous: 5 * 2 ** 20 },
    },
    top: [
      { processes: 1, threads: 11, cores: 0.002, startSeconds: 0.3 },
      { processes: 8, threads: 88, cores: 0.012, startSeconds: 0.4 },
    ],
  };
}

test('study monitor: what misses a goal is said', () => {
  const page = monitorPage(result([row('0.3', 10.5), row('0.95', 12)]));
  assert.match(page, /^\*\*Further off than the goal of 10 %: 0\.95\.\*\*$/m);
  assert.match(page, /\*\*1\.90 % of a core; the goal is 0\.7 %\*\*/);
  assert.match(page, /^- Memory: 5\.0 MB more of its own; the goal is 8\.0 MB\. .* 9\.0 MB are resident\.$/m);
  assert.match(page, /^The goal is 1 %\. \*\*Missed with 8 processes\.\*\*$/m);
  assert.match(page, /\*\*−2\.0 %; the goal is no loss of more than 1 %\*\*/);
  assert.match(monitorPage(result([row('0.3', 10.5)])), /^Every mean is within 5\.0 % of the exact one/m);
});

test('study monitor: it runs, and every figure that it promises is there', async () => {
  const { code, stdout, stderr } = await study('monitor', '--quick');
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  const folder = join(ROOT, '.cache/study-monitor');
  const measured = JSON.parse(readFileSync(join(folder, 'monitor.json'), 'utf8')) as MonitorResult;
  assert.deepEqual(
    measured.accuracy.map(({ load }) => load),
    Object.keys(LOADS),
  );
  // A machine that stops meanwhile leaves few of them.
  for (const one of measured.accuracy) assert.ok(one.jobs > 0 && one.canaries > 0 && one.exactMean >= 0);
  assert.deepEqual(
    measured.loop.map(({ isBlocked }) => isBlocked),
    [false, true],
  );
  assert.equal(measured.cost.idle.length, 4);
  assert.ok(measured.cost.saturated.every(({ jobsPerSecond }) => jobsPerSecond > 0));
  assert.doesNotMatch(readFileSync(join(folder, 'monitor.md'), 'utf8'), /undefined|NaN|\[object/);
});

test('study monitor: the published page is what the published result says', () => {
  const published = (file: string): string => readFileSync(join(ROOT, 'docs/results', file), 'utf8');
  assert.equal(monitorPage(JSON.parse(published('monitor.json')) as MonitorResult), published('monitor.md'));
});
