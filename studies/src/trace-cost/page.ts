import { cpus, loadavg } from 'node:os';
import { type Environment, environmentLines, markdownTable, type PairComparison } from '@plimsoll/lab';
import { compareTwin, judge, ratio } from '../common/compare.js';
import type { ConditionResult } from '../common/result.js';
import type { Contender, Metric } from '../common/study.js';
import { failuresOf, left, methodOf, middle, right } from '../common/tables.js';
import type { Turns } from '../common/take-turns.js';
import type { Plan } from './run.js';

export interface Cell {
  readonly app: string;
  readonly load: string;
  readonly condition: ConditionResult;
  /** Jobs recorded in the life of a server, the median, by arm. */
  readonly jobs: ReadonlyMap<string, number>;
}

export const ARMS: readonly Contender[] = [
  { id: 'untraced', title: 'nothing' },
  { id: 'traced', title: 'by default' },
  { id: 'full', title: 'every job, `--full`' },
];
const TRACED = ARMS.slice(1);
const METRICS: readonly Metric[] = [
  { id: 'rate', title: 'answers/s', better: 'more', digits: 0 },
  { id: 'meanMs', title: 'mean latency', better: 'less', digits: 2 },
  { id: 'p99Ms', title: 'p99', better: 'less', digits: 2 },
  { id: 'cpuMs', title: 'CPU per answer', better: 'less', digits: 2 },
];

/** One row: what the servers did in turn. */
export const cellOf = (app: string, load: string, turns: Turns, jobs: Cell['jobs']): Cell => ({
  app,
  load,
  jobs,
  condition: {
    id: `${app} ${load}`,
    title: `${app}, ${load}`,
    contenders: ARMS,
    baseline: 'untraced',
    metrics: METRICS,
    judged: METRICS.flatMap(({ id }) => TRACED.map((arm) => [arm.id, 'untraced', id] as const)),
    parameters: {},
    ...turns,
  },
});

export const CLIENTS = 16;
export const APPS: Readonly<Record<string, string>> = {
  pbkdf2: 'one pbkdf2 of 5,000 iterations per request',
  files: '20 readFile of 4 KB per request',
};

const shown = (found: PairComparison | undefined): string =>
  found === undefined ? 'no figure' : ratio(found);

/** A server untraced, its twin, and the recorded servers in relation to the untraced ones. */
function rowsOf({ app, load, condition, jobs }: Cell): string[][] {
  const absolute = METRICS.map(({ id, digits }) => middle(condition, 'untraced', id).toFixed(digits));
  const twin = METRICS.map(({ id }) => shown(compareTwin(condition, id)));
  return [
    [app, load, 'nothing', ...absolute, ''],
    [app, load, 'nothing, twin', ...twin, ''],
    ...TRACED.map((arm) => [
      ...[app, load, arm.title],
      ...METRICS.map(({ id }) => shown(judge(condition, arm.id, 'untraced', id))),
      jobs.get(arm.id)?.toFixed(0) ?? '',
    ]),
  ];
}

/** The page, from the runs alone. */
export function tracePage(cells: readonly Cell[], plan: Plan, environment: Environment): string {
  const columns = [
    ...['app', 'load', 'recorded'].map((title) => left(title)),
    ...['answers/s', 'mean latency', 'p99', 'CPU per answer', 'jobs recorded'].map((title) => right(title)),
  ];
  return `${[
    '# What plimsoll trace costs the app that it records',
    '',
    `Measured by \`npm run bench:trace${plan.isQuick ? ' -- --quick' : ''}\`: two untraced servers and two recorded ones run at the same time and`,
    `take turns, in random order, in slices of ${plan.ms / 1000} s of load. After some blocks fresh servers replace all of them (a generation)`,
    `and warm up for ${plan.warmMs / 1000} s. The first row of each load shows the untraced server: answers per second and milliseconds. The`,
    "rows below show ratios to it, with an interval of Student's t over the generations that holds at 95 % for the four figures",
    'of a load together. The twin is the second untraced server: it shows by how much equal servers differ.',
    `Saturated: a closed loop of ${CLIENTS} clients. 50 %: requests at random moments, at half of the saturated rate.`,
    'The client runs on the same cores. Jobs recorded: during the life of one server.',
    '',
    ...Object.entries(APPS).map(([app, what]) => `- \`${app}\`: ${what}`),
    '',
    ...markdownTable(columns, cells.flatMap(rowsOf)),
    '',
    '## How it was measured',
    '',
    ...cells.map(({ condition }) => `- ${condition.title}: ${methodOf(condition)}`),
    ...cells.flatMap(({ condition }) => failuresOf(condition).map((failure) => `- **Failed**: ${failure}`)),
    ...environmentLines(environment),
    busyness(loadavg()[0] ?? 0, cpus().length),
  ].join('\n')}\n`;
}

/** The server and its client alone keep both cores of a small machine busy. */
function busyness(load: number, cores: number): string {
  const other =
    load > 2 * cores ? '; other work ran at the same time, so measure again before you rely on this' : '';
  return `- load average over the last minute at the end: ${load.toFixed(1)} on ${cores} CPUs${other}`;
}
