import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Timeline, timelineSchema } from '#plimsoll/results/timeline.js';
import { inRepository } from './session.js';

/** The timelines that the repository keeps. */
export const timelines: readonly Timeline[] = timelineSchema
  .array()
  .parse(JSON.parse(readFileSync(inRepository('docs/results/timeline.json'), 'utf8')));

/** pbkdf2 at two sizes. */
export const twoSizes = timelines.filter(({ operation }) => operation === 'pbkdf2');
assert.deepEqual(
  twoSizes.map(({ size }) => size),
  [4, 6],
);

export const MARKUP = '<img src=x onerror="alert(1)">';
const SCRIPT_END = '</script><script>alert(2)</script>';
const QUOTES = `/a "b" 'c' onload=alert(3) &amp;/\u0000\u001b[31m\u2028`;

/** A timeline whose every text of others' making is hostile. */
export function hostileTimeline(): Timeline {
  const [result] = structuredClone(twoSizes);
  assert.ok(result !== undefined);
  return {
    ...result,
    operation: MARKUP,
    description: SCRIPT_END,
    experiments: result.experiments.map((experiment) => ({
      ...experiment,
      observations: [{ id: 'timeline.together', text: `${MARKUP} ${SCRIPT_END} ${QUOTES}`, evidence: {} }],
      spans: experiment.spans.map((span, index) => ({
        ...span,
        what: [MARKUP, SCRIPT_END, QUOTES][index % 3] ?? '',
      })),
    })),
  };
}
