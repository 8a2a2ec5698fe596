import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captureEnvironment } from 'plimsoll/lab';
import { tracePage } from '#studies/trace-cost/page.js';
import type { AppRun } from '#studies/trace-cost/run.js';
import { ROOT } from './support.js';

const run = (meanMs: number): AppRun => ({ rate: 100, meanMs, p99Ms: 9, cpuMs: 1, cpuSeconds: 1, jobs: 7 });
const plan = { isQuick: false, blocks: 6, warmMs: 1000, ms: 5000 };

test('study trace: the page says what tracing costs beside what equal servers differ by', () => {
  const of = (factor: number): AppRun[] => [10, 11, 12, 10, 11, 12].map((ms) => run(ms * factor));
  const cell = { app: 'files', load: 'saturated', untraced: of(1), traced: of(2), twin: of(1.1) };
  const page = tracePage([cell], plan, captureEnvironment({ directory: ROOT }));
  assert.match(
    page,
    /^\| files \| saturated \| 100 \| 1\.00 .* \| 11\.00 ms \| 2\.00 \[2\.00, 2\.00\] \| 1\.10 \[1\.10, 1\.10\] \| .* \| 7 \|$/m,
  );
  assert.doesNotMatch(page, /undefined|NaN/);
});

test('study trace: where nothing can be divided there is no figure', () => {
  const none = { app: 'files', load: '50 %', untraced: [run(0)], traced: [run(1)], twin: [run(0)] };
  assert.match(tracePage([none], plan, captureEnvironment({ directory: ROOT })), /no figure/);
});
