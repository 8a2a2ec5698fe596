import { markdownTable } from '@plimsoll/lab';
import { type Comparison, ratio } from './compare.js';
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
export function claimsMarkdown(claims: readonly Claim[], source = 'the article'): string[] {
  return [
    ...markdownTable(
      [left(`${source} says`), left('its figures'), left('here'), left('')],
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
  found === undefined ? 'not measured' : `${ratio(found)} ×`;

/** Whether a comparison came out as the claim has it; what is unclear neither agrees nor differs. */
export function verdictOn(found: Comparison | undefined, expected: Comparison['verdict']): Claim['verdict'] {
  if (found === undefined || found.verdict === 'unclear') return 'unclear';
  return found.verdict === expected ? 'agrees' : 'differs';
}
