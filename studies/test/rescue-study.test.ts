import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captureEnvironment } from '@plimsoll/lab';
import { type RescueResult, rescuePage } from '#studies/rescue/page.js';
import { PHASES } from '#studies/rescue/phases.js';
import { ROOT } from './support.js';

/** Two slices of each phase: answers of each arm by phase. */
function resultOf(answers: (phase: number, arm: string) => number, resolver: string | null): RescueResult {
  const rest = { seconds: 0.5, p99Ms: 9, loopP99Ms: 1, size: 4, rescuedMs: null, totalCpuSeconds: 1 };
  return {
    ...{ schema: 'plimsoll/1', kind: 'rescue', effort: 'full', startedAt: '2026-11-27T00:00:00.000Z' },
    ...{ seconds: 600, sliceMs: 500, slices: 2, generations: 1, failure: null, resolver },
    environment: captureEnvironment({ directory: ROOT }),
    rounds: PHASES.flatMap((_, phase) =>
      ['4', '64', 'rescue', 'twin'].flatMap((arm) =>
        [1, 2].map(() => ({
          generation: 0,
          arm,
          result: { ...rest, phase, answers: answers(phase, arm), rescuedMs: arm === 'rescue' ? 210 : null },
        })),
      ),
    ),
  };
}

test('study rescue: each phase beside the better fixed size, and the worst one is named', () => {
  const page = rescuePage(
    resultOf((phase, arm) => {
      if (arm === '4') return phase === 1 ? 0 : 100;
      return arm === 'rescue' && phase === 3 ? 90 : 99;
    }, 'a silent one'),
  );
  assert.match(page, /^\*\*In 1 of 10 phases .* \*hashes only\*: −10\.0 % beside 4 threads/m);
  assert.match(page, /^\| 4 files hang \| 0 \| 198 \| 198 \| \+0\.0 % \(64\) \|/m);
  assert.match(page, /^\| hashes only \| 200 \| 198 \| 180 \| −10\.0 % \(4\) \*\*short\*\* \|/m);
  assert.match(page, /210 ms in the median/);
  assert.doesNotMatch(page, /undefined|NaN/);
});

test('study rescue: without a silent name server no phase of lookups is told', () => {
  const page = rescuePage(resultOf(() => 100, null));
  assert.match(page, /In each of the 9 phases/);
  assert.doesNotMatch(page, /^\| 4 lookups/m);
});
