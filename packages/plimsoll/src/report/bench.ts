import { printable } from '../host/printable.js';
import type { BenchResult, SizeResult, Verdict, WorkloadResult } from '../results/bench.js';
import { benchColumns, benchRows } from './bench-table.js';
import { findingLines } from './finding-lines.js';
import { change, formatCount, formatDuration, formatMs, list, percent } from './format.js';
import { machineLine } from './machine-line.js';
import type { Style } from './style.js';
import { renderTable, wrap } from './table.js';

/** The whole result of a bench for a terminal: a table per workload, which size suits which, and what it teaches. */
export function benchReport(result: BenchResult, style: Style): string {
  const sections = [
    header(result, style),
    ...result.workloads.map((workload) => workloadSection(workload, result.method.baseline, style)),
    recommendations(result, style),
    findingLines('What this shows', result.findings, style),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function header({ environment, method }: BenchResult, { color, width }: Style): string[] {
  const how = `${howTurns(method.mode)}, ${method.baseline} twice (A/A), seed ${method.seed}, ${formatDuration(method.seconds * 1000)}`;
  return [
    color.bold('plimsoll bench'),
    ...wrap(machineLine(environment), width).map(color.dim),
    ...wrap(how, width).map(color.dim),
    ...(method.interrupted ? [color.yellow('interrupted: only complete blocks are counted')] : []),
  ];
}

function workloadSection(workload: WorkloadResult, baseline: number, style: Style): string[] {
  const { color, width } = style;
  const title = wrap(`${workload.name}  ${printable(workload.description)}`, width, '  ');
  const [first = '', ...rest] = title;
  const heading = [
    color.bold(workload.name) + color.dim(first.slice(workload.name.length)),
    ...rest.map((line) => color.dim(line)),
  ];
  heading.push(...wrap(`  ${howMeasured(workload)}`, width, '  ').map(color.dim));
  if (workload.failure !== null)
    heading.push(...wrap(`failed: ${printable(workload.failure.message)}`, width, '  ').map(color.red));
  if (workload.sizes.length === 0) return heading;
  const columns = benchColumns(baseline, workload.noise !== null && width >= 110);
  const rows = benchRows(workload, baseline, width >= 110).map((cells, index) =>
    paint(cells, workload.sizes[index] as SizeResult, workload, style),
  );
  const [head = '', ...body] = renderTable(columns, rows, width - 2);
  return [...heading, `  ${color.dim(head)}`, ...body.map((line) => `  ${line}`)];
}

export const STOPPED = {
  settled: 'the answer was known',
  time: 'the time was up',
  generations: 'all of them',
  interrupted: 'interrupted',
  failed: 'it failed',
} as const;

const TURNS = {
  resized: 'one process has all sizes in turn, by short rounds in random order',
  alternating: 'processes of all sizes take turns by short rounds, in random order',
  isolated: 'one fresh process at a time, in random order',
} as const;

export const howTurns = (mode: BenchResult['method']['mode']): string => TURNS[mode];

/** `24 rounds of every size, in 8 generations of fresh processes, 11 s: the answer was known`. */
export function howMeasured({ method }: WorkloadResult): string {
  if (method === null) return '';
  const { rounds, generations, seconds, stop, fixed } = method;
  const why =
    fixed === null ? '' : `; processes of one size each, because the pool cannot be resized: ${fixed}`;
  return `${formatCount(rounds, 'round')} of every size in ${formatCount(generations, 'generation')} of fresh processes, ${formatDuration(seconds * 1000)}: ${STOPPED[stop]}${why}`;
}

const VERDICT_COLOUR: Record<Verdict, 'green' | 'red' | 'dim' | 'yellow'> = {
  better: 'green',
  worse: 'red',
  same: 'dim',
  unclear: 'yellow',
};

function paint(cells: string[], size: SizeResult, workload: WorkloadResult, { color }: Style): string[] {
  const last = cells.length - 1;
  return cells.map((cell, index) => {
    if (index === last && cell !== '') return color[VERDICT_COLOUR[size.verdict]](cell);
    return index === 0 && size.size === workload.recommended ? color.bold(cell) : cell;
  });
}

function recommendations({ workloads, method }: BenchResult, { color, width }: Style): string[] {
  const measured = workloads.filter(({ sizes }) => sizes.length > 0);
  if (measured.length === 0) return [];
  const longest = Math.max(...measured.map(({ name }) => name.length));
  const lines = measured.flatMap((workload) => {
    const size = leaning(workload);
    const [first = '', ...rest] = wrap(because(workload, method.baseline), width - longest - 10);
    const indent = ' '.repeat(longest + 10);
    return [
      `  ${workload.name.padEnd(longest)}  ${color.bold(size.padStart(4))}  ${first}`,
      ...rest.map((line) => indent + line),
    ];
  });
  return [color.bold('Which UV_THREADPOOL_SIZE suits which work'), ...lines];
}

/** A wrong recommendation is less likely than this, or it is only what the estimates lean to. */
const ACCEPTED_CHANCE = 0.05;

/** The recommended size, with a tilde while it may well be wrong. */
function leaning({ recommended, asGood, sizes }: WorkloadResult): string {
  const chosen = sizes.find(({ size }) => size === recommended);
  if (chosen !== undefined) return `${chosen.chanceSlower > ACCEPTED_CHANCE ? '~' : ''}${chosen.size}`;
  if (sizes.length === 1) return '–';
  return asGood.length === 0 ? '?' : `~${Math.min(...asGood)}`;
}

/** Why this size, or why none can be named. */
export function because(workload: WorkloadResult, baseline: number): string {
  const { recommended, noise, sizes, asGood, higherEventLoopDelay } = workload;
  if (noise === null) return 'not measured to the end';
  if (noise.noisy) return 'too noisy: the baseline differs from itself';
  if (sizes.length === 1)
    return `the only size measured (${formatMs(sizes[0]?.workMs ?? 0)}): nothing to compare`;
  if (recommended === null) return estimate(workload, baseline);
  const others = asGood.filter((size) => size !== recommended);
  const chosen = sizes.find(({ size }) => size === recommended) as SizeResult;
  const parts = [
    ...(recommended === baseline ? [] : [against(chosen, baseline)]),
    ...(others.length === 0 ? [] : [`${list(others)} no better`]),
    ...(higherEventLoopDelay.length === 0
      ? []
      : [`${list(higherEventLoopDelay)} no faster, and a higher event-loop delay`]),
    ...(chosen.chanceSlower < 0.005
      ? []
      : [`a chance of ${percent(chosen.chanceSlower)} % that it is more than 5 % slower than the best`]),
  ];
  return parts.length === 0 ? 'the fastest' : parts.join('; ');
}

function against({ ratio, verdict }: SizeResult, baseline: number): string {
  if (verdict === 'same') return `as fast as ${baseline}`;
  return `${change(ratio)} time against ${baseline}${verdict === 'unclear' ? ', not certain' : ''}`;
}

function estimate({ asGood, higherEventLoopDelay, sizes }: WorkloadResult, baseline: number): string {
  const leading = sizes.find(({ size }) => size === asGood[0]);
  const parts = [
    ...(asGood.length > 1 ? [`${list(asGood)} cannot be told apart`] : []),
    ...(asGood.length === 1 && leading !== undefined && leading.size !== baseline
      ? [`${change(leading.ratio)} time against ${baseline}`]
      : []),
    ...(higherEventLoopDelay.length === 0
      ? []
      : [`${list(higherEventLoopDelay)} no faster, and a higher event-loop delay`]),
  ];
  return `estimate: ${parts.length === 0 ? 'the fastest' : parts.join('; ')}`;
}
