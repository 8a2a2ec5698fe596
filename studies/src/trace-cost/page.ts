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
  /** Recorded in the life of a traced server, the median; `null` when none ended well. */
  readonly jobs: number | null;
}

export const ARMS: readonly Contender[] = [
  { id: 'untraced', title: 'nothing' },
  { id: 'traced', title: 'every job' },
];
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
    judged: METRICS.map(({ id }) => ['traced', 'untraced', id] as const),
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

/** What a server did untraced, the same by its twin, and what it did as it was recorded, by the untraced ones. */
function rowsOf({ app, load, condition, jobs }: Cell): string[][] {
  const absolute = METRICS.map(({ id, digits }) => middle(condition, 'untraced', id).toFixed(digits));
  const twin = METRICS.map(({ id }) => shown(compareTwin(condition, id)));
  return [
    [app, load, 'nothing', ...absolute, ''],
    [app, load, 'nothing, twin', ...twin, ''],
    [
      ...[app, load, 'every job'],
      ...METRICS.map(({ id }) => shown(judge(condition, 'traced', 'untraced', id))),
      jobs?.toFixed(0) ?? '',
    ],
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
    `Measured by \`npm run bench:trace${plan.isQuick ? ' -- --quick' : ''}\`: two untraced servers and one that is recorded live at the same time and`,
    `take turns, in random order, by slices of ${plan.ms / 1000} s of load; after some blocks all are replaced by fresh ones (a generation),`,
    `which warm up for ${plan.warmMs / 1000} s. The first row of each load is the untraced server: answers a second and milliseconds. The`,
    "others are how many times those it was, with an interval of Student's t over the generations that holds at 95 % for the four",
    'figures of a load together; the twin is the second untraced server, and tells by how much equal things differ.',
    `Saturated is a closed loop of ${CLIENTS} clients; 50 % is half of the rate that the saturated server reached, at random moments.`,
    'The client runs on the same cores. Jobs recorded: in the life of one server.',
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

/** The server and its client keep both cores of a small machine busy by themselves. */
function busyness(load: number, cores: number): string {
  const other =
    load > 2 * cores ? '; other work ran beside it, so measure again before you rely on this' : '';
  return `- load average over the last minute at the end: ${load.toFixed(1)} on ${cores} CPUs${other}`;
}
