import { printable } from '../host/printable.js';
import type { TunedSize, TuneResult } from '../results/tune.js';
import { STOPPED } from './bench.js';
import { findingLines } from './finding-lines.js';
import { change, formatChange, formatCount, formatDuration } from './format.js';
import { machineLine } from './machine-line.js';
import type { Style } from './style.js';
import { renderTable, wrap } from './table.js';
import { routeTable, tuneTable } from './tune-table.js';

/** The whole result of a tune for a terminal: the answer, a row for each size, why, and the line to copy. */
export function tuneReport(result: TuneResult, style: Style): string {
  const sections = [
    header(result, style),
    headline(result, style),
    sizesSection(result, style),
    routesSection(result, style),
    findingLines('Why', result.findings, style),
    lineToCopy(result, style),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** What was measured. */
export const subject = ({ command, pid }: Pick<TuneResult, 'command' | 'pid'>): string =>
  command === null ? `process ${pid}` : printable(command.join(' '));

/** `sizes take turns by short windows in random order, 4 twice (A/A), 12 blocks, 57 s: the answer was known` */
export function howTuned({ method, baseline }: Pick<TuneResult, 'method' | 'baseline'>): string {
  const { mode, blocks, seconds, stop, resizing, processes, seed } = method;
  const turns =
    mode === 'runs'
      ? 'fresh processes of all sizes in random order'
      : `the pool of ${processes === null || processes === 1 ? 'the running app' : `${processes} running processes`} is resized${resizing === null ? '' : ` (${resizing})`}, sizes take turns by short windows in random order`;
  return `${turns}, ${baseline} twice (A/A), seed ${seed}; ${formatCount(blocks, 'block')}, ${formatDuration(seconds * 1000)}: ${STOPPED_TUNE[stop]}`;
}

const STOPPED_TUNE = { ...STOPPED, trouble: 'ended at the first sign of trouble' } as const;

/** How far the second turn of the baseline was from the first. */
export function twinText({ twin, baseline }: Pick<TuneResult, 'twin' | 'baseline'>): string | null {
  if (twin === null) return null;
  const by = twin.interval === null ? change(twin.ratio) : formatChange(twin.ratio, twin.interval);
  return `A/A: the twin of ${baseline} differs by ${by}${twin.noisy ? ': too noisy to tell' : ''}`;
}

/** The headline with how sure that is, unless it says so itself. */
export const headlineText = ({
  headline: text,
  confidence,
}: Pick<TuneResult, 'headline' | 'confidence'>): string =>
  confidence === 'sure' || text.startsWith('Keep') ? `${text} (${confidence})` : text;

function header(result: TuneResult, { color, width }: Style): string[] {
  const { environment, method } = result;
  const twin = twinText(result);
  const lines = [
    machineLine(environment),
    howTuned(result),
    ...(method.traffic === null ? [] : [`requests: ${printable(method.traffic)}`]),
    ...(twin === null ? [] : [twin]),
  ];
  const [first = '', ...rest] = wrap(`plimsoll tune  ${subject(result)}`, width, '  ');
  return [
    color.bold('plimsoll tune') + first.slice('plimsoll tune'.length),
    ...rest,
    ...lines.flatMap((line) => wrap(line, width)).map(color.dim),
  ];
}

function headline(result: TuneResult, { color, width }: Style): string[] {
  const paint = { sure: color.green, likely: color.yellow, 'cannot tell': color.red }[result.confidence];
  return wrap(printable(headlineText(result)), width).map((line) => color.bold(paint(line)));
}

const WIDE = 120;

function sizesSection(result: TuneResult, { color, width }: Style): string[] {
  if (result.sizes.length === 0) return [];
  const { columns, rows } = tuneTable(result, width >= WIDE);
  const [head = '', ...body] = renderTable(
    columns,
    rows.map((cells, index) => paint(cells, result.sizes[index] as TunedSize, result, color)),
    width - 2,
  );
  return [
    `  ${color.dim(head)}`,
    ...body.map((line, index) => `${result.sizes[index]?.size === result.recommended ? '→' : ' '} ${line}`),
  ];
}

function paint(
  cells: string[],
  size: TunedSize,
  { recommended }: TuneResult,
  color: Style['color'],
): string[] {
  const isBad = size.overloaded || size.failing;
  const colour = isBad
    ? 'red'
    : ({ better: 'green', worse: 'red', same: 'dim', unclear: 'yellow' } as const)[size.verdict];
  return cells.map((cell, index) => {
    if (index === cells.length - 1 && cell !== '') return color[colour](cell);
    return index === 0 && size.size === recommended ? color.bold(cell) : cell;
  });
}

function routesSection(result: TuneResult, { color, width }: Style): string[] {
  const table = routeTable(result);
  if (table === null) return [];
  const rows = table.rows.map((cells) => cells.map(printable));
  const [head = '', ...body] = renderTable(table.columns, rows, width - 2);
  return [color.bold('Routes'), `  ${color.dim(head)}`, ...body.map((line) => `  ${line}`)];
}

/** The command with the size before it, where another than the baseline is recommended; a process that runs can be resized. */
function lineToCopy({ recommended, command, pid, answer }: TuneResult, { color }: Style): string[] {
  if (recommended === null || answer !== 'change') return [];
  if (pid !== null)
    return [
      color.bold(`plimsoll resize ${pid} ${recommended}`),
      `UV_THREADPOOL_SIZE=${recommended}, when it starts the next time`,
    ];
  const words = command === null ? '' : ` ${printable(command.map(shellWord).join(' '))}`;
  return [color.bold(`UV_THREADPOOL_SIZE=${recommended}${words}`)];
}

/** As a POSIX shell reads it as one word. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
