import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ComparisonRow, comparisonSchema, plainStyle, reportMarkdown, reportText } from 'plimsoll';
import { comparisonOfModules } from '#plimsoll/report/findings/compare.js';

const row = (verdict: ComparisonRow['verdict'], rest: Partial<ComparisonRow> = {}): ComparisonRow => ({
  ...{ name: 'new.mjs', size: 4, oldMs: 100, newMs: 120, generations: 6, ratio: 1.2 },
  ...{ interval: [1.15, 1.25], verdict },
  ...rest,
});

const compared = (rows: ComparisonRow[], rest: Partial<Parameters<typeof comparisonOfModules>[0]> = {}) =>
  comparisonOfModules({
    ...{ node: '24.1.0', startedAt: '2026-01-02T03:04:05.678Z', interrupted: false, isNoisy: false },
    ...{ lost: [], rows, ...rest },
  });

describe('a comparison of two modules', () => {
  test('one worse row among many is worse; what cannot be told is not fine', () => {
    const verdict = (...verdicts: ComparisonRow['verdict'][]): string =>
      compared(verdicts.map((one) => row(one))).verdict;
    assert.equal(verdict('better', 'unclear', 'worse'), 'worse');
    assert.equal(verdict('better', 'unclear'), 'unclear');
    assert.equal(verdict('better', 'same'), 'better');
    assert.equal(verdict('same', 'same'), 'same');
    assert.equal(verdict(), 'unclear');
    const lost = [{ what: 'new 8', message: 'it died' }];
    assert.equal(compared([row('better')], { lost }).verdict, 'unclear');
  });

  test('what a reader must know of it, as a valid document', () => {
    const lost = [{ what: 'new 8', message: 'it died' }];
    const early = [row('unclear', { interval: null })];
    const all = compared(early, { interrupted: true, isNoisy: true, lost });
    assert.deepEqual(
      comparisonSchema.parse(all).findings.map(({ id }) => id),
      ['compare.unfinished', 'compare.lost', 'compare.noisy', 'compare.few-generations'],
    );
    assert.deepEqual(compared([row('worse')]).findings, []);
  });

  test('what it came to, then rows, at 80 columns', () => {
    const text = reportText(compared([row('worse'), row('same', { size: 8 })]), plainStyle(80));
    assert.match(text, /\n\nWorse: new\.mjs\n\n +work/);
    assert.match(text, /\n +new\.mjs +4 +100 ms +120 ms +\+20 % \[\+15, \+25\] +worse\n/);
    assert.ok(text.split('\n').every((line) => line.length <= 80));
  });

  test('in Markdown nothing breaks out of its cell', () => {
    const text = reportMarkdown(compared([row('worse', { name: 'a | b' })]));
    assert.match(text, /\n\*\*Worse: a \| b/);
    assert.match(text, /\| a \\\| b \| 4 \|/);
  });
});
