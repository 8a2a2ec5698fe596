import { type Classification, type Classified, type Column, markdownTable } from '@plimsoll/lab';
import { left } from '../common/tables.js';

const ABSENT = '–';

/** One API in every version of Node. */
interface Row {
  readonly name: string;
  /** As the page shows them, in the order of the versions. */
  readonly verdicts: readonly string[];
  /** What the newest version that has it says. */
  readonly newest: Classified;
  readonly differs: boolean;
  readonly incomplete: boolean;
}

/** The page docs/reference/classification.md, from one result for each version of Node, the oldest first. */
export function classificationPage(results: readonly Classification[]): string {
  const newest = results.at(-1);
  if (newest === undefined) throw new RangeError('there is no result');
  const versions = results.map(({ environment }) => environment.node.version);
  const rows = rowsOf(results);
  const groups = groupsOf(rows);
  const columns = [left('API'), ...versions.map(left), left('waits for'), left('')];
  return [
    ...opening(results, newest, versions),
    '## The short answer',
    '',
    ...list(rows, groups, 'APIs that use the thread pool', 'pool'),
    ...list(rows, groups, 'APIs that use the pool first, and then the kernel', 'both'),
    ...list(rows, groups, 'APIs that the kernel or other threads serve', 'kernel'),
    ...list(rows, groups, 'APIs that run on the main thread', 'main thread'),
    ...differences(rows, versions, columns),
    ...groups.flatMap((group) => [
      '',
      `## ${group}`,
      '',
      ...markdownTable(columns, rows.filter(({ name }) => groupOf(name) === group).map(cells)),
    ]),
    '',
  ].join('\n');
}

function opening(
  results: readonly Classification[],
  { environment, size }: Classification,
  versions: readonly string[],
): string[] {
  return [
    '# What uses the thread pool',
    '',
    `Found by experiment with \`npm run study:classify\`, on ${results[0]?.startedAt.slice(0, 10)}: the study blocked all ${size} pool threads of a`,
    `fresh process, called the API, and saw whether it completed ([how](classify.md)). ${environment.os.platform} ${environment.os.arch}; Node`,
    `${versions.join(', ')}.`,
    '',
    '- **pool**: it waits for a pool thread. **½**: as slow I/O, which only half of the pool, rounded up, serves.',
    '- **both**: it waits for the pool, and then for the kernel too.',
    '- **kernel**: it completes while every pool thread is blocked.',
    '- **main thread**: it completes before the event loop turns.',
    `- **≠**: the versions differ. **${ABSENT}**: this version lacks it (or has it without a callback).`,
    '',
  ];
}

function rowsOf(results: readonly Classification[]): Row[] {
  const names = new Set(results.toReversed().flatMap((result) => result.results.map(({ name }) => name)));
  return [...names].map((name) => {
    const found = results.map((result) => result.results.find((one) => one.name === name));
    const verdicts = found.map((one) =>
      one === undefined ? ABSENT : `${one.verdict}${one.slowIo ? ' ½' : ''}`,
    );
    const known = verdicts.filter((verdict) => verdict !== ABSENT);
    return {
      name,
      verdicts,
      newest: found.findLast((one) => one !== undefined) as Classified,
      differs: new Set(known).size > 1,
      incomplete: known.length < verdicts.length,
    };
  });
}

/** By module; what stands alone comes last. */
const groupsOf = (rows: readonly Row[]): string[] =>
  [...new Set(rows.map(({ name }) => groupOf(name)))].sort(
    (a, b) => Number(a === 'others') - Number(b === 'others'),
  );

function groupOf(name: string): string {
  const [first = '', ...rest] = name.split('.');
  if (rest.length === 0) return 'others';
  return ['http', 'https', 'fetch', 'net', 'tls', 'dgram'].includes(first) ? 'network' : first;
}

const cells = ({ name, verdicts, differs, newest }: Row): string[] => [
  `\`${name}\``,
  ...verdicts.map((verdict) => (differs && verdict !== ABSENT ? `**${verdict}**` : verdict)),
  newest.waitsFor.join(', '),
  differs ? '≠' : '',
];

function differences(
  rows: readonly Row[],
  versions: readonly string[],
  columns: readonly Column[],
): string[] {
  const different = rows.filter(({ differs }) => differs);
  const missing = rows.filter(({ incomplete }) => incomplete);
  const present = ({ verdicts }: Row): string =>
    versions.filter((_, index) => verdicts[index] !== ABSENT).join(', ');
  const partial = missing.map((row) => `\`${row.name}\` (${present(row)})`).join(', ');
  return [
    '## Differences between versions',
    '',
    ...(different.length === 0 ? ['None.'] : markdownTable(columns, different.map(cells))),
    ...(partial === '' ? [] : ['', `Not in every version: ${partial}.`]),
  ];
}

/** By module, with the verdict of the newest version. */
function list(rows: readonly Row[], groups: readonly string[], title: string, verdict: string): string[] {
  const members = rows.filter(({ newest }) => newest.verdict === verdict);
  return [
    `### ${title}`,
    '',
    ...groups.flatMap((group) => {
      const own = members.filter(({ name }) => groupOf(name) === group).map(({ name }) => name);
      const short = own.map(
        (name) => `\`${name.startsWith(`${group}.`) ? name.slice(group.length + 1) : name}\``,
      );
      return own.length === 0 ? [] : [`- ${group}: ${short.join(', ')}`];
    }),
    '',
  ];
}
