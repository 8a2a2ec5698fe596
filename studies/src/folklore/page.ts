import { environmentLines, formatDuration, markdownTable } from '@plimsoll/lab';
import { left, methodOf, right } from '../common/tables.js';
import type { Claim, Judgement, Source, Verdict } from './claim.js';
import { CLAIMS, ELSEWHERE } from './claims.js';
import type { Cell, ClaimResult, Counted, FolkloreResult } from './result.js';

const WORDS: Readonly<Record<Verdict, string>> = {
  true: 'True',
  false: 'False',
  depends: 'It depends',
  undecided: 'Undecided',
};

const NOTHING: Counted = { what: '', nodes: [], rows: [] };

/** What the result says of a claim. */
export function judgementOf(claim: Claim, result: FolkloreResult): Judgement {
  const own = result.claims.find(({ id }) => id === claim.id);
  if (own?.skipped != null) return { verdict: 'undecided', because: `Not decided here: ${own.skipped}.` };
  if (own === undefined || (claim.observe !== undefined && own.counted === null))
    return { verdict: 'undecided', because: 'Not asked for.' };
  if (claim.needs !== undefined && result[claim.needs] === null)
    return { verdict: 'undecided', because: 'Not measured.' };
  return claim.judge(own.counted ?? NOTHING, result);
}

/** The page docs/results/folklore.md, derived from the result alone. */
export function folklorePage(result: FolkloreResult): string {
  const claims = CLAIMS.filter(({ id }) => result.claims.some((one) => one.id === id));
  return [
    '# What people say about UV_THREADPOOL_SIZE',
    '',
    'Each claim is decided by a small program, which `npm run study:folklore` runs; the raw result is',
    '[folklore.json](folklore.json). The [guide](../guide/folklore.md) says what to do instead.',
    ...(result.effort === 'full'
      ? []
      : ['', '**A quick run: it proves that the programs work, and nothing else.**']),
    '',
    ...summary(claims, result),
    '',
    '## Where and how',
    '',
    ...environmentLines(result.environment),
    `- ${formatDuration(result.seconds * 1000)} in all, ${result.startedAt.slice(0, 10)}`,
    '- Counts are of the newest Node of every supported line, and of older ones where they differ: threads in /proc before and',
    '  after the first use of the pool. Verdicts follow from the counts; nothing is timed for them.',
    ...measuredLines(result),
    ...claims.flatMap((claim) => section(claim, result)),
    '',
    '## Not decided here',
    '',
    ...ELSEWHERE.flatMap(({ says, known, sources }) => [`- **${says}.** ${known} ${links(sources)}.`]),
    '',
  ].join('\n');
}

function summary(claims: readonly Claim[], result: FolkloreResult): string[] {
  const rows = claims.map((claim) => [
    `[${claim.says}](#${anchorOf(claim.says)})`,
    WORDS[judgementOf(claim, result).verdict],
  ]);
  return markdownTable([left('they say'), left('here')], rows);
}

function measuredLines({ bench, reads }: FolkloreResult): string[] {
  const condition = reads?.conditions[0];
  return [
    ...(bench === null
      ? []
      : [
          `- Sizes: \`plimsoll bench\`, at most ${formatDuration(bench.method.timeMs ?? 0)} for each kind of work, processes of all sizes in turn.`,
        ]),
    ...(condition === undefined ? [] : [`- Reads of files: ${methodOf(condition)}.`]),
  ];
}

function section(claim: Claim, result: FolkloreResult): string[] {
  const { verdict, because } = judgementOf(claim, result);
  const own = result.claims.find(({ id }) => id === claim.id) as ClaimResult;
  const commands = [`npm run study:folklore -- ${claim.id}`, ...(claim.commands ?? [])];
  const isMeasured = claim.needs !== undefined && result[claim.needs] !== null;
  return [
    '',
    `## ${claim.says}`,
    '',
    `**${WORDS[verdict]}.** ${because}`,
    '',
    `Said or asked in ${links(claim.sources)}. ${claim.how}`,
    '',
    '```sh',
    ...commands,
    '```',
    ...(own.counted === null ? [] : ['', ...countedTable(own.counted)]),
    ...(isMeasured && claim.table !== undefined
      ? ['', ...markdownTable(claim.table(result).columns, claim.table(result).rows)]
      : []),
  ];
}

function countedTable({ what, nodes, rows }: Counted): string[] {
  const columns = [left(what), ...nodes.map((node) => right(`Node ${node}`))];
  return markdownTable(
    columns,
    rows.map(({ case: name, cells }) => [name, ...cells.map(shown)]),
  );
}

const shown = (cell: Cell): string => (cell === null ? '–' : String(cell));

const links = (sources: readonly Source[]): string =>
  sources.map(({ title, url }) => `[${title}](${url})`).join(', ');

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
