import { formatEstimate } from '@plimsoll/benchmarks/report/format.js';
import { markdownTable } from 'plimsoll/lab';
import type { Comparison } from './compare.js';
import { left } from './tables.js';

/** Something that the article says, and what the figures here say of it. */
export interface Claim {
  readonly claim: string;
  /** The article's figures. */
  readonly theirs: string;
  readonly here: string;
  readonly verdict: 'agrees' | 'differs' | 'unclear';
  /** Markdown, one sentence or two: why. */
  readonly why: string;
}

/** The claims as a table, and their reasons as a list. */
export function claimsMarkdown(claims: readonly Claim[]): string[] {
  return [
    ...markdownTable(
      [left('the article says'), left('its figures'), left('here'), left('')],
      claims.map(({ claim, theirs, here, verdict }) => [
        claim,
        theirs,
        here,
        verdict === 'differs' ? '**differs**' : verdict,
      ]),
    ),
    '',
    ...claims.map(({ claim, why }) => `- ${claim}: ${why}`),
  ];
}

/** `1.02 [0.99, 1.05] ×`, or that there is no such figure. */
export const times = (found: Comparison | undefined): string =>
  found === undefined ? 'not measured' : `${formatEstimate(found)} ×`;

/** What one would still call the same time. */
const ALIKE = 1.1;

/** Whether a comparison came out as it should have. */
export function verdictOn(found: Comparison | undefined, expected: Comparison['verdict']): Claim['verdict'] {
  if (found === undefined) return 'unclear';
  if (expected !== 'same or unclear' || found.verdict !== 'same or unclear') {
    if (found.verdict === expected) return 'agrees';
    return found.verdict === 'same or unclear' ? 'unclear' : 'differs';
  }
  // No difference shown is no proof of none: the interval must be narrow, too.
  return found.low > 1 / ALIKE && found.high < ALIKE ? 'agrees' : 'unclear';
}
