import { environmentLines, formatDuration, markdownTable, median } from '@plimsoll/lab';
import { left, right } from '../common/tables.js';
import type { Accuracy, Cost, CostWindow, LoopWindow, MonitorResult, TopCost } from './result.js';

/** What the loads are called, by the argument of `traffic`. */
export const LOADS: Readonly<Record<string, string>> = {
  '0.3': '0.3',
  '0.7': '0.7',
  '0.95': '0.95',
  'clients:60': 'overload: 60 clients that never rest',
  '1.3': 'overload: 1.3 times what the thread can do, and until the queue is empty',
};

/** What the package is to keep to. */
const GOALS = { error: 0.1, cores: 0.007, topCores: 0.01, memoryBytes: 8 * 2 ** 20, throughput: 0.01 };

/** The page, from the result alone. */
export function monitorPage(result: MonitorResult): string {
  const { effort, accuracy, loop, cost, top, environment, seconds, startedAt } = result;
  return `${[
    '# The thread-pool monitor: how right it is, and what it costs',
    '',
    `Measured by \`npm run bench:monitor${effort === 'full' ? '' : ' -- --quick'}\`; every figure is in [monitor.json](monitor.json).`,
    ...(effort === 'full' ? [] : ['', '**A quick run: it proves that the study works, and nothing else.**']),
    '',
    '## The wait that it reads',
    '',
    'A pool of one thread hashes (pbkdf2, exponentially distributed, 4 ms on average); the monitor runs at its default resolution beside',
    'the recorder of `plimsoll trace`, which has the start and the end of every job. *Exact* is the wait of a job that comes at any time,',
    'averaged over all times, from the trace; *jobs* is that of the jobs of the program themselves. On an idle pool the monitor reads the',
    'time to wake a thread; that is part of its figures, and not of the exact ones. ± is twice the standard error of that mean: so much of',
    'the error is chance, which more time makes smaller.',
    '',
    ...accuracyTable(accuracy),
    '',
    accuracyVerdict(accuracy),
    '',
    '## A blocked event loop',
    '',
    `The pool idles. In every other window of time the event loop is blocked for 80 ms of every 100.`,
    '',
    ...loopTable(loop),
    '',
    '## What it costs',
    '',
    'One process, with the monitor on and off by turns (off, on, on, off …). Saturated: eight clients keep four threads hashing, 2,000',
    'iterations of pbkdf2 a job. Medians of the windows [smallest, largest].',
    '',
    ...costTable(cost),
    '',
    ...costVerdicts(cost),
    '',
    '## What `plimsoll top` costs',
    '',
    'The live screen at its default interval of a second, beside processes whose pools hash a little all the time: CPU time of the whole',
    'process in its first half of a minute, in which modules load and V8 compiles, and as a share of a core in the next one.',
    '',
    ...topTable(top),
    '',
    topVerdict(top),
    '',
    '## Where',
    '',
    ...environmentLines(environment),
    `- ${formatDuration(seconds * 1000)} in all, ${startedAt.slice(0, 10)}`,
  ].join('\n')}\n`;
}

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
const percent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`;
const signed = (share: number): string => `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
const errorOf = ({ monitorMean, exactMean }: Accuracy): number => monitorMean / exactMean - 1;

function accuracyTable(rows: readonly Accuracy[]): string[] {
  const columns = [
    left('utilization'),
    ...[
      'measured',
      'jobs',
      'canaries',
      'jobs, mean ms',
      'exact, mean ms',
      'monitor, mean ms',
      'error',
      '±',
    ].map((title) => right(title)),
    ...['exact, p99 ms', 'monitor, p99 ms'].map((title) => right(title)),
  ];
  return markdownTable(
    columns,
    rows.map((row) => [
      LOADS[row.load] ?? row.load,
      row.utilization.toFixed(2),
      String(row.jobs),
      String(row.canaries),
      ms(row.jobsMean),
      ms(row.exactMean),
      ms(row.monitorMean),
      signed(errorOf(row)),
      percent((2 * row.standardError) / row.exactMean, 0),
      ms(row.exactP99),
      ms(row.monitorP99),
    ]),
  );
}

function accuracyVerdict(rows: readonly Accuracy[]): string {
  const worst = Math.max(...rows.map((row) => Math.abs(errorOf(row))));
  const far = rows
    .filter((row) => Math.abs(errorOf(row)) > GOALS.error)
    .map(({ load }) => LOADS[load] ?? load);
  return far.length === 0
    ? `Every mean is within ${percent(worst)} of the exact one; the goal is ${percent(GOALS.error, 0)}.`
    : `**Further off than the goal of ${percent(GOALS.error, 0)}: ${far.join('; ')}.**`;
}

function loopTable(windows: readonly LoopWindow[]): string[] {
  const columns = [
    'event loop',
    'busy',
    'event-loop delay, mean ms',
    'canaries',
    'monitor, mean ms',
    'monitor, p99 ms',
  ].map((title, index) => (index === 0 ? left(title) : right(title)));
  return markdownTable(
    columns,
    windows.map((window) => [
      window.isBlocked ? 'blocked' : 'free',
      percent(window.loopBusy, 0),
      ms(window.loopDelayMean),
      String(window.canaries),
      ms(window.monitorMean),
      ms(window.monitorP99),
    ]),
  );
}

const of = (windows: readonly CostWindow[], isOn: boolean, value: (one: CostWindow) => number): number[] =>
  windows.filter((one) => one.isOn === isOn).map(value);

const cores = (one: CostWindow): number => one.cores;
const rate = (one: CostWindow): number => one.jobsPerSecond;

const spread = (values: readonly number[], shown: (value: number) => string): string =>
  `${shown(median(values))} [${shown(Math.min(...values))}, ${shown(Math.max(...values))}]`;

function costTable({ idle, saturated }: Cost): string[] {
  const row = (
    title: string,
    windows: readonly CostWindow[],
    value: (one: CostWindow) => number,
    shown: (value: number) => string,
  ) => [title, ...[false, true].map((isOn) => spread(of(windows, isOn, value), shown))];
  return markdownTable(
    [left(''), right('off'), right('on')],
    [
      row('CPU of an idle process, of a core', idle, cores, (value) => percent(value, 2)),
      row('jobs/s of a saturated pool', saturated, rate, (value) => value.toFixed(0)),
    ],
  );
}

const inMegabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
const unlessMet = (isMet: boolean, text: string): string => (isMet ? text : `**${text}**`);

function costVerdicts({ idle, saturated, memory }: Cost): string[] {
  const cost = median(of(idle, true, cores)) - median(of(idle, false, cores));
  const ratio = median(of(saturated, true, rate)) / median(of(saturated, false, rate));
  const memoryText = `${inMegabytes(memory.anonymous)} more of its own; the goal is ${inMegabytes(GOALS.memoryBytes)}`;
  return [
    `- CPU: ${unlessMet(cost <= GOALS.cores, `${percent(cost, 2)} of a core; the goal is ${percent(GOALS.cores)}`)}.`,
    `- Memory: ${unlessMet(memory.anonymous <= GOALS.memoryBytes, memoryText)}. With the pages of Node's executable that it is the first to touch ${inMegabytes(memory.resident)} are resident.`,
    `- Throughput of the saturated pool: ${unlessMet(ratio >= 1 - GOALS.throughput, `${signed(ratio - 1)}; the goal is no loss of more than ${percent(GOALS.throughput, 0)}`)}.`,
  ];
}

const topTable = (rows: readonly TopCost[]): string[] =>
  markdownTable(
    ['processes', 'threads', 'to start, s of CPU', 'of a core'].map((title) => right(title)),
    rows.map(({ processes, threads, cores: share, startSeconds }) => [
      String(processes),
      String(threads),
      startSeconds.toFixed(2),
      percent(share, 2),
    ]),
  );

function topVerdict(rows: readonly TopCost[]): string {
  const far = rows.filter(({ cores: share }) => share > GOALS.topCores).map(({ processes }) => processes);
  const goal = `The goal is ${percent(GOALS.topCores, 0)}.`;
  return far.length === 0 ? goal : `${goal} **Missed with ${far.join(' and ')} processes.**`;
}
