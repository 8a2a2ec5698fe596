import { cpus, loadavg } from 'node:os';
import {
  type Environment,
  environmentLines,
  estimateRatio,
  formatEstimate,
  markdownTable,
  median,
} from 'plimsoll/lab';
import { left, right } from '../common/tables.js';
import type { AppRun, Plan } from './run.js';

/** The runs of complete blocks; `twin` is the untraced server a second time. */
export interface Arms {
  readonly untraced: readonly AppRun[];
  readonly traced: readonly AppRun[];
  readonly twin: readonly AppRun[];
}

export interface Cell extends Arms {
  readonly app: string;
  readonly load: string;
}

export const CLIENTS = 16;
export const APPS: Readonly<Record<string, string>> = {
  pbkdf2: 'one pbkdf2 of 5,000 iterations per request',
  files: '20 readFile of 4 KB per request',
};

type Figure = keyof AppRun;

const values = (runs: readonly AppRun[], of: Figure): number[] => runs.map((run) => run[of]);

function change(runs: readonly AppRun[], { untraced }: Cell, of: Figure): string {
  const found = estimateRatio(values(runs, of), values(untraced, of));
  return found === null ? 'no figure' : formatEstimate(found);
}

/** The page, from the runs alone. */
export function tracePage(cells: readonly Cell[], plan: Plan, environment: Environment): string {
  const rows = cells.map((cell) => {
    const { app, load, traced, twin, untraced } = cell;
    return [
      app,
      load,
      median(values(untraced, 'rate')).toFixed(0),
      change(traced, cell, 'rate'),
      `${median(values(untraced, 'meanMs')).toFixed(2)} ms`,
      change(traced, cell, 'meanMs'),
      change(twin, cell, 'meanMs'),
      change(traced, cell, 'p99Ms'),
      change(traced, cell, 'cpuMs'),
      median(values(traced, 'jobs')).toFixed(0),
    ];
  });
  const columns = [
    left('app'),
    left('load'),
    ...['answers/s', 'traced', 'mean latency', 'traced', 'twin', 'p99, traced', 'CPU per answer, traced'].map(
      (title) => right(title),
    ),
    right('jobs recorded'),
  ];
  return `${[
    '# What plimsoll trace costs the app that it records',
    '',
    `Measured by \`npm run bench:trace${plan.isQuick ? ' -- --quick' : ''}\`: ${plan.blocks} blocks, each with the untraced server twice and the traced one once, in`,
    `random order, every run a fresh process under ${plan.ms / 1000} s of load after ${plan.warmMs / 1000} s of warming up. *Traced* is how many times the`,
    'untraced run it was (Hodges–Lehmann estimate and exact signed-rank interval of the pairs); *twin* is the same of the second',
    `untraced run, by which equal things differ. Saturated is a closed loop of ${CLIENTS} clients; 50 % is half of the rate that the`,
    'saturated server reached, at random moments. The client runs on the same cores.',
    '',
    ...Object.entries(APPS).map(([app, what]) => `- \`${app}\`: ${what}`),
    '',
    ...markdownTable(columns, rows),
    '',
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
