import { type Column, environmentLines, markdownTable, wrap } from '@plimsoll/lab';
import { MarkedBlock } from '../common/marked-block.js';
import { FEATURES, ROWS } from './features.js';
import type { Answer, Outcome } from './outcome.js';
import { POOL_NAMES, POOLS, type PoolName } from './pools/pools.js';
import { type FeatureResult, type FeaturesResult, together } from './result.js';

const PAGE = 'https://github.com/plimsoll-js/plimsoll/blob/main/docs/results/pool-features.md';

const WIDTH = 120;

const SIGNS: Readonly<Record<Answer, string>> = { yes: '✓', partly: 'partly', no: '–' };

const left = (title: string): Column => ({ title, align: 'left', expendable: 0 });

/** With the version of a library; our own is that of the repository. */
const named = (pool: PoolName, versions: FeaturesResult['versions']): string =>
  pool === 'plimsoll' ? POOLS[pool].library : `${pool} ${versions[POOLS[pool].library]}`;

const featureOf = ({ features }: FeaturesResult, id: string): FeatureResult => {
  const found = features.find((feature) => feature.id === id);
  if (found === undefined) throw new Error(`${id} has not been checked`);
  return found;
};

/** The table of the README of the pool, one row for features that belong together. */
export function readmeTable(result: FeaturesResult): string {
  const { versions } = result;
  const rows = ROWS.map(({ title, features }) => [
    title,
    ...POOL_NAMES.map((pool) => {
      const answers = features.map(({ id }) => featureOf(result, id).pools[pool].answer);
      return SIGNS[together(answers)];
    }),
  ]);
  const peers = POOL_NAMES.filter((pool) => pool !== 'plimsoll').map((pool) => named(pool, versions));
  return [
    ...wrap(
      `✓ yes, – no. A small program tried each feature in ${peers.slice(0, -1).join(', ')} and ${peers.at(-1)} ([all programs, and what *partly* means](${PAGE})). We chose the features: the table leaves out what only other pools have, such as child processes and browsers.`,
      WIDTH,
    ),
    '',
    ...markdownTable(['', ...POOL_NAMES].map(left), rows),
  ].join('\n');
}

/** The page docs/results/pool-features.md. */
export function page(result: FeaturesResult, json: string): string {
  const { versions, environment, checkedAt } = result;
  return [
    '# What worker pools can do',
    '',
    `Every cell is the answer of a small program that tries the feature by the pool's own documented API, in a process of its own: \`npm run check:features\`. The answers are in [${json}](${json}), the programs in [benchmarks/src/features](../../benchmarks/src/features/features.ts), one file for each pool.`,
    '',
    '✓: all that the sentence says was seen. partly: some of it; what is missing is said below. –: none of it. Where a pool has no API for something, that was looked for by name among its exports, members and types, and what it does instead was tried. A new name that matches fails the check, so that a release that learns something is noticed.',
    '',
    'The list is ours: what people have asked of worker pools for years, and this one set out to have. It leaves out what some of the others have beyond it: child processes behind the same API (tinypool, workerpool, poolifier, jest-worker), browsers (workerpool), functions that are sent as text (workerpool, poolifier). Here workers are threads in all of them.',
    '',
    ...markdownTable(
      [left('feature'), ...POOL_NAMES.map((pool) => left(named(pool, versions)))],
      FEATURES.map(({ id }) => [
        `[${id}](#${id})`,
        ...POOL_NAMES.map((pool) => SIGNS[featureOf(result, id).pools[pool].answer]),
      ]),
    ),
    '',
    ...FEATURES.flatMap(({ id, sentence }) => [
      `## ${id}`,
      '',
      sentence,
      '',
      ...POOL_NAMES.map((pool) => evidence(pool, featureOf(result, id).pools[pool])),
      '',
    ]),
    '## Where and how',
    '',
    ...environmentLines(environment, versions),
    `- ${checkedAt.slice(0, 10)}`,
    '',
  ].join('\n');
}

function evidence(pool: PoolName, { answer, seen, missing }: Outcome): string {
  const texts = [
    ...(seen.length === 0 ? [] : [seen.join('; ')]),
    ...(missing.length === 0
      ? []
      : [seen.length === 0 ? missing.join('; ') : `missing: ${missing.join('; ')}`]),
  ];
  return `- **${pool}** ${SIGNS[answer]} ${escaped(texts.join('. '))}`;
}

/** Messages of errors may look like HTML; what stands between backquotes may, too, and is left. */
const escaped = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`');

/** The table in the README of the pool. */
export const README_BLOCK = new MarkedBlock('features', 'npm run check:features -- --write');
