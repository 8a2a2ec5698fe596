import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captureEnvironment } from '@plimsoll/lab';
import type { GenerationColumns } from '#studies/common/result.js';
import { cellOf, tracePage } from '#studies/trace-cost/page.js';
import { ROOT } from './support.js';
import { turnsOf } from './turns.js';

const columns = (meanMs: readonly number[]) => ({
  rate: meanMs.map(() => 100),
  meanMs,
  p99Ms: meanMs.map(() => 9),
  cpuMs: meanMs.map(() => 1),
});
const plan = { isQuick: false, timeMs: 70_000, warmMs: 1000, ms: 1000 };
const page = (generations: readonly GenerationColumns[], lost?: string): string => {
  const cell = cellOf('files', 'saturated', turnsOf(generations, lost), 7);
  return tracePage([cell], plan, captureEnvironment({ directory: ROOT }));
};

test('study trace: the page says what tracing costs beside what equal servers differ by', () => {
  const untraced = columns([10, 12]);
  const generation = {
    untraced,
    twin: columns([11, 13.2]),
    traced: columns([20, 24]),
  };
  const text = page(Array(6).fill(generation));
  assert.match(text, /^\| files \| saturated \| nothing \| 100 \| 11\.00 \| 9\.00 \| 1\.00 \| {2}\|$/m);
  assert.match(text, /^\| files \| saturated \| nothing, twin \| 1\.00 .* \| 1\.10 \[1\.10, 1\.10\] \|/m);
  assert.match(text, /^\| files \| saturated \| every job \| .* \| 1\.91 \[1\.91, 1\.91\] \| .* \| 7 \|$/m);
  assert.doesNotMatch(text, /undefined|NaN/);
});

test('study trace: where nothing can be divided there is no figure', () => {
  const generation = { untraced: columns([0]), twin: columns([0]), traced: columns([1]) };
  assert.match(page([generation]), /no figure/);
});

test('study trace: a traced server that failed is said, with the reason', () => {
  const text = page([{ untraced: columns([10]), twin: columns([10]) }], 'traced');
  assert.match(text, /^- \*\*Failed\*\*: every job: it broke$/m);
});
