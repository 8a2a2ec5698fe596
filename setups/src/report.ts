import { type Column, environmentLines, markdownTable, renderTable } from '@plimsoll/lab';
import { CONTENDERS, type ContenderName } from './contenders.js';
import type { RowResult, SetupsResult } from './result.js';
import type { Setup } from './setup.js';

const left = (title: string): Column => ({ title, align: 'left', expendable: 0 });

/** The contenders that stand in any of the rows. */
const namesIn = (rows: readonly RowResult[]): ContenderName[] =>
  CONTENDERS.map(({ name }) => name).filter((name) => rows.some(({ cells }) => name in cells));

const mark = (cell: string | null | undefined): string =>
  cell === undefined ? '' : cell === null ? '✔' : '✖';

/** The table for a terminal, each cell that fails explained under it. */
export function terminalTable(rows: readonly RowResult[], width: number): string {
  const names = namesIn(rows);
  const table = renderTable(
    [left('set-up'), left('Node'), ...names.map(left)],
    rows.map((row) => [
      `${row.group} · ${row.name}`,
      String(row.line),
      ...names.map((name) => mark(row.cells[name])),
    ]),
    width,
  );
  return [...table, '', ...rows.flatMap(reasons)].join('\n');
}

const reasons = (row: RowResult): string[] =>
  namesIn([row]).flatMap((name) => {
    const why = row.cells[name];
    return typeof why === 'string' ? [`✖ ${row.group} · ${row.name}, Node ${row.line}, ${name}: ${why}`] : [];
  });

/** The page docs/results/setups.md. */
export function page(result: SetupsResult, json: string, setups: readonly Setup[]): string {
  const { rows, environment, versions, measuredAt } = result;
  const groups = [...new Set(rows.map(({ group }) => group))];
  return [
    '# Where worker pools work',
    '',
    'Each row is a project that `npm run test:setups` builds from its real packages in a temporary folder and runs as its ' +
      `users do. Repeat one with \`npm run test:setups -- NAME\`; the cells are in [${json}](${json}).`,
    '',
    `✔: the program ended by itself with the right result. ${sum(rows)}`,
    '',
    ...groups.flatMap((group) =>
      groupPage(
        group,
        rows.filter((row) => row.group === group),
        setups,
      ),
    ),
    '## Where and how',
    '',
    ...environmentLines(environment, versions),
    `- Node ${[...new Set(rows.map(({ version }) => version))].join(', ')}`,
    `- ${measuredAt.slice(0, 10)}`,
    '',
  ].join('\n');
}

function sum(rows: readonly RowResult[]): string {
  const parts = namesIn(rows).map((name) => {
    const cells = rows.map(({ cells }) => cells[name]).filter((cell) => cell !== undefined);
    return `${name} works in ${cells.filter((cell) => cell === null).length} of ${cells.length}`;
  });
  return `${parts.join(', ')}.`;
}

function groupPage(group: string, rows: readonly RowResult[], setups: readonly Setup[]): string[] {
  const names = namesIn(rows);
  const packages = [...new Map(rows.flatMap((row) => Object.entries(row.packages)))];
  const notes = rows.flatMap(({ name }) => {
    const note = setups.find((one) => one.group === group && one.name === name)?.note;
    return note === undefined ? [] : [`- ${name}: ${note}`];
  });
  const remarks = [
    ...bullets(rows),
    ...new Set(notes),
    ...(packages.length === 0 ? [] : [`- With ${packages.map((one) => one.join(' ')).join(', ')}.`]),
  ];
  return [
    `## ${group[0]?.toUpperCase()}${group.slice(1)}`,
    '',
    ...markdownTable(
      [left('set-up'), left('Node'), ...names.map(left)],
      rows.map((row) => [row.name, String(row.line), ...names.map((name) => mark(row.cells[name]))]),
    ),
    '',
    ...(remarks.length === 0 ? [] : [...remarks, '']),
  ];
}

/** Why cells fail, rows and contenders with the same reason together. */
function bullets(rows: readonly RowResult[]): string[] {
  const places = new Map<string, string[]>();
  for (const row of rows)
    for (const name of namesIn([row])) {
      const why = row.cells[name];
      if (typeof why !== 'string') continue;
      const key = `${name}: \`${why.replaceAll('`', "'")}\``;
      places.set(key, [...(places.get(key) ?? []), `${row.name} (${row.line})`]);
    }
  return [...places].map(([why, where]) => `- ✖ ${where.join('; ')}; ${why}`);
}
