import { printable } from '../host/printable.js';
import type { Budget, TracedProgram, TraceSummary } from '../results/trace-summary.js';
import { formatCount, formatMs, list, percent } from './format.js';
import { machineLine } from './machine-line.js';
import type { Style } from './style.js';
import { type Column, renderTable, wrap } from './table.js';

const COLUMNS: readonly Column[] = [
  { title: '', align: 'left', expendable: 0 },
  { title: 'jobs', align: 'right', expendable: 0 },
  { title: '', align: 'left', expendable: 0 },
  { title: 'thread', align: 'right', expendable: 0 },
  { title: 'core', align: 'right', expendable: 0 },
  { title: 'CPU', align: 'right', expendable: 0 },
  { title: 'blocked', align: 'right', expendable: 0 },
  { title: 'loop', align: 'right', expendable: 0 },
  { title: 'total', align: 'right', expendable: 0 },
];

const PARTS = ['queueWaitMs', 'coreWaitMs', 'cpuMs', 'blockedMs', 'eventLoopMs', 'totalMs'] as const;

const INFERRED = '~';
const count = new Intl.NumberFormat('en-GB');

/** What a trace shows: for every program its pool, where the time of its jobs went, and what to do about it. */
export function traceReport(summary: TraceSummary, style: Style): string {
  const programs = summary.programs.flatMap((program) => [programLines(program, style)]);
  return [header(summary, style), ...programs, legend(summary, style), notes(summary, style)]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

const ENDINGS: Readonly<Record<TraceSummary['ending'], string>> = {
  ended: 'the command ended',
  failed: 'the command failed',
  stopped: 'stopped after',
  interrupted: 'interrupted after',
};

function header(
  { command, environment, ending, durationMs }: TraceSummary,
  { color, width }: Style,
): string[] {
  const took = `${ENDINGS[ending]}${ending === 'ended' || ending === 'failed' ? ' after' : ''} ${formatMs(durationMs)}`;
  return [
    ...wrap(`plimsoll trace ${printable(command)}`, width, '  ').map((line) => color.bold(line)),
    ...wrap(machineLine(environment), width).map(color.dim),
    ending === 'ended' || ending === 'stopped' ? color.dim(took) : color.yellow(took),
  ];
}

function programLines(program: TracedProgram, style: Style): string[] {
  const { color, width } = style;
  const { script, pids, advice } = program;
  const name = script === null ? 'node' : printable(script);
  const many = pids.length === 1 ? `process ${pids[0]}` : `${pids.length} processes`;
  const [first = '', ...rest] = wrap(advice.text, width - 4);
  const about = `${poolText(program)} (${many}, Node ${program.node})`;
  return [
    ...(name.length + about.length + 2 <= width
      ? [`${color.bold(name)}  ${about}`]
      : [color.bold(name), ...wrap(about, width - 2).map((line) => `  ${line}`)]),
    ...(program.jobs === 0
      ? []
      : [...wrap(useText(program), width - 2).map((line) => `  ${line}`), ...table(program, style)]),
    `  ${color.green('→')} ${first}`,
    ...rest.map((line) => `    ${line}`),
  ];
}

function poolText({ observedThreads, size, jobs }: TracedProgram): string {
  if (observedThreads.length === 0) {
    return jobs === 0 ? 'no pool' : `${formatCount(size, 'pool thread')} by UV_THREADPOOL_SIZE, not counted`;
  }
  const counted = `${list(observedThreads)} pool thread${observedThreads.join() === '1' ? '' : 's'}, counted`;
  const isOther = observedThreads.some((threads) => threads !== size);
  return isOther ? `${counted} (UV_THREADPOOL_SIZE gives ${size})` : counted;
}

const MOST_HOLDERS = 3;

function useText(program: TracedProgram): string {
  const { jobs, activeMs, utilization, saturatedMs, queuedMs, heldBy, eventLoopCpuShare } = program;
  const holders = heldBy
    .slice(0, MOST_HOLDERS)
    .map((held) => `${printable(held.kind)} ${percent(held.share)} %`);
  const share = (part: number): string => `${percent(activeMs === 0 ? 0 : part / activeMs)} %`;
  return [
    `${count.format(jobs)} jobs within ${formatMs(activeMs)}`,
    ...(utilization === null ? [] : [`pool utilization ${percent(utilization)} %`]),
    `all threads busy for ${formatMs(saturatedMs)} (${share(saturatedMs)})`,
    `jobs queued for ${formatMs(queuedMs)} (${share(queuedMs)})`,
    ...(holders.length === 0 ? [] : [`threads held meanwhile by ${holders.join(', ')}`]),
    ...(eventLoopCpuShare === null ? [] : [`event loop uses ${percent(eventLoopCpuShare)} % of a core`]),
  ].join(' · ');
}

function table({ kinds, budget, jobs }: TracedProgram, { color, width }: Style): string[] {
  const rows = kinds.flatMap(({ kind, jobs: number, inferred, budget: own }) =>
    budgetRows(`${isInferred(inferred, number) ? INFERRED : ''}${printable(kind)}`, number, own),
  );
  const all = kinds.length > 1 && budget !== null ? budgetRows('all', jobs, budget) : [];
  const [head = '', ...lines] = renderTable(COLUMNS, [...rows, ...all], width - 2);
  return [`  ${color.dim(head)}`, ...lines.map((line) => `  ${line}`)];
}

/** Single jobs of a kind whose events got lost are inferred too; that alone is not worth a mark. */
const isInferred = (inferred: number, jobs: number): boolean => inferred > jobs / 2;

const budgetRows = (kind: string, jobs: number, budget: Budget): string[][] => [
  [kind, count.format(jobs), 'mean', ...PARTS.map((part) => cell(budget[part].mean))],
  ['', '', 'p99', ...PARTS.map((part) => cell(budget[part].p99))],
];

/** The legend names the unit. */
const cell = (ms: number): string => (ms < 0.005 ? '–' : formatMs(ms).replace(' ms', ''));

function legend({ programs }: TraceSummary, { color, width }: Style): string[] {
  if (programs.every(({ jobs }) => jobs === 0)) return [];
  const inferred = programs.some(({ kinds }) => kinds.some((kind) => isInferred(kind.inferred, kind.jobs)));
  const text =
    'In milliseconds where no unit stands. thread: waiting for a pool thread; core: on a thread, waiting for a core; CPU: computing; blocked: waiting for a disk, the network or a lock; loop: the result waits for the event loop.';
  const about = `${INFERRED} when these jobs ran is inferred from the rules of the queue; Node reports submission and callback only.`;
  return [...wrap(text, width), ...(inferred ? wrap(about, width) : [])].map(color.dim);
}

function notes({ notes: all }: TraceSummary, { color, width }: Style): string[] {
  return all.flatMap(({ id, text }) => {
    const [first = '', ...rest] = wrap(`${printable(text)} (${id})`, width - 4);
    return [`  ${color.yellow('!')} ${first}`, ...rest.map((line) => `    ${line}`)];
  });
}
