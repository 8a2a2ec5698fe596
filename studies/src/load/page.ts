// The page of the study, derived from its result: the original's figures beside these, and what agrees.
import { claimsMarkdown } from '../common/claims.js';
import { agreement, clusterAgainstFork, percent, seconds, twinDifference } from './agreement.js';
import { type FilledCell, isFilled } from './filled-cell.js';
import { ORIGINAL, ORIGINAL_CPUS, type OriginalTable } from './original.js';
import { loadMethodLines, loadRecommendationsMarkdown, loadTableMarkdown } from './report/markdown.js';
import type { LoadResult } from './result.js';

const NAMES: Readonly<Record<string, string>> = {
  'pm2-fork': 'PM2 fork mode',
  'pm2-cluster': 'PM2 cluster mode',
};

/** One of the six tables: what was measured, beside the original's. */
interface Table {
  readonly title: string;
  readonly mode: string;
  readonly instances: number;
  readonly name: string;
  readonly parallel: number | null;
  readonly requests: number | null;
  readonly original: OriginalTable | undefined;
  readonly cells: readonly FilledCell[];
}

/** Of pbkdf2 in the original. */
const ORIGINAL_ITERATIONS = 100_000;

/** The cost of an operation, by the original's. */
function scaleOf({ method }: LoadResult): number {
  const iterations = /([\d,]+) iterations/.exec(method.operation ?? '')?.[1];
  return Number((iterations ?? '').replaceAll(',', '')) / ORIGINAL_ITERATIONS;
}

/** The page, from a complete result of `npm run load`. */
export function loadPage(result: LoadResult): string {
  const { method } = result;
  const scale = scaleOf(result);
  return [
    '# A server under load at every pool size',
    '',
    'Measured by `npm run study:load`; the raw result, every slice of it, is [load.json.gz](load.json.gz). It fills the six tables of',
    'the load test that plimsoll grew out of: a Fastify server whose every request starts ten operations and answers at once,',
    'under PM2 in fork and cluster mode, in three cases of traffic.',
    ...(scale === 1
      ? []
      : [
          '',
          `**At ${scale} of the original cost: the seconds cannot be compared with the original's, only their course.**`,
        ]),
    '',
    '## Where and how',
    '',
    ...loadMethodLines(result),
    `- each request: ${method.operation}`,
    `- the original: ${ORIGINAL_CPUS} CPUs, one run a cell; most of its cluster tables were left at 0.000, not measured`,
    '- min, max, avg, p50, p95, p99: latency of the operations from the start of their request, in seconds, as in the original;',
    '  completion: mean time from the first request to the end of an operation; loop delay and bystander (a trivial request, asked',
    `  ${method.bystanderRate} times a second): p99. The best of a column is bold`,
    '',
    ...quality(result),
    '',
    '## What agrees with the original, and what does not',
    '',
    'The original advises against the number of CPUs as a guide, because the operations were I/O and not CPU work. Its own best',
    'averages, at 12 threads on 12 CPUs, say otherwise: pbkdf2 is computation.',
    '',
    ...tables(result).flatMap((one) => claims(one, result)),
    ...cluster(result),
    '',
    '## What the original did not measure',
    '',
    ...tables(result).map((one) => bystander(one)),
    '',
    '## The smallest size that is as good as the best',
    '',
    'By the mean time from the first request to the end of an operation, the bystander included.',
    '',
    ...loadRecommendationsMarkdown(result),
    '',
    ...tables(result).flatMap((one) => tableSection(one, result)),
  ].join('\n');
}

/** How far the figures can be trusted: how much the same work varied, and where requests failed. */
function quality(result: LoadResult): string[] {
  const costs = result.cells
    .filter(isFilled)
    .map(({ cpuSeconds, operationMs }) => cpuSeconds / operationMs.count);
  const twins = tables(result).map(
    ({ title, cells }) => `${title} ${percent(twinDifference(cells, result.method.baseline))}`,
  );
  const failed = tables(result).flatMap(({ title, cells }) =>
    cells
      .filter(({ errors }) => errors > 0)
      .map(({ size, errors }) => `${errors} at ${size} threads in ${title}`),
  );
  return [
    `- average latency at ${result.method.baseline} and of its twin, the slower against the faster: ${twins.join('; ')}`,
    `- CPU time for one operation, the same in every cell: ${seconds(Math.min(...costs))} to ${seconds(Math.max(...costs))} s; differences within that ratio may be the machine's`,
    ...(failed.length === 0
      ? []
      : [`- requests that failed, whose operations are missing from the figures: ${failed.join('; ')}`]),
  ];
}

/** The six tables in the original's order. */
function tables({ method, cells }: LoadResult): Table[] {
  return method.tables.map(({ mode, instances, case: name, parallel, requests }) => ({
    mode,
    instances,
    name,
    parallel,
    requests,
    title: `case ${name}, ${NAMES[mode]}${instances > 1 ? ` (${instances} instances)` : ''}`,
    original: ORIGINAL[mode]?.[name],
    cells: cells.filter(isFilled).filter((cell) => cell.mode === mode && cell.case === name),
  }));
}

function claims({ title, original, cells }: Table, { method, environment }: LoadResult): string[] {
  const rows = agreement({
    table: original,
    cells,
    baseline: method.baseline,
    cpus: environment.cpu.effectiveCpus,
    originalCpus: ORIGINAL_CPUS,
  });
  return [`### ${title}`, '', ...claimsMarkdown(rows, 'the original'), ''];
}

function cluster(result: LoadResult): string[] {
  const all = tables(result);
  const lines = all
    .filter(({ mode }) => mode === 'pm2-cluster')
    .flatMap(({ name, instances, cells, original }) => {
      const fork = all.find((one) => one.mode === 'pm2-fork' && one.name === name);
      if (fork === undefined) return [];
      return clusterAgainstFork({
        fork: fork.cells,
        cluster: cells,
        instances,
        originalFork: fork.original,
        originalCluster: original,
      }).map(
        ({ size, threads, here, original: theirs }) =>
          `| ${name} | ${instances} × ${size} | 1 × ${threads} | ${theirs === null ? '–' : percent(theirs)} | ${percent(here)} |`,
      );
    });
  if (lines.length === 0) return [];
  return [
    '### Cluster against fork',
    '',
    'Threads of all workers together are what the CPUs see: a cluster beside one process with as many threads. The original: average',
    'latency; here: mean time to the end of an operation.',
    '',
    '| case | cluster | fork | original | here |',
    '|---|---|---|---:|---:|',
    ...lines,
  ];
}

function bystander({ title, cells }: Table): string {
  const p99 = cells.map((cell) => `${cell.size}: ${cell.bystanderMs.p99.toFixed(0)}`).join(', ');
  const done = cells.map((cell) => cell.completionMs.mean / 1000);
  return `- ${title}: the bystander's p99 in milliseconds by size is ${p99}; meanwhile the mean time to the end of an operation lies between ${seconds(Math.min(...done))} and ${seconds(Math.max(...done))} s.`;
}

function tableSection({ title, parallel, requests, original, cells }: Table, result: LoadResult): string[] {
  return [
    `## ${title}`,
    '',
    `Parallels ${parallel}, requests ${requests}.`,
    '',
    ...beside(original, cells),
    '',
    ...loadTableMarkdown(cells, result),
    '',
  ];
}

/** The original's columns beside the same here, the best of each bold. */
function beside(original: OriginalTable | undefined, cells: readonly FilledCell[]): string[] {
  const theirs = cells.map(({ size }) => original?.[size] ?? null);
  const ours = cells.map(({ operationMs: { min, max, mean } }) =>
    [min, max, mean].map((value) => value / 1000),
  );
  // The only figures of a table are not its best.
  const hasBest = Object.keys(original ?? {}).length > 1;
  const [theirText, ourText] = [shown(theirs, hasBest), shown(ours, true)];
  return [
    '| UV_THREADPOOL_SIZE | original min | max | average | here min | max | average |',
    '|---:|---:|---:|---:|---:|---:|---:|',
    ...cells.map(
      ({ size }, row) => `| ${[size, ...(theirText[row] ?? []), ...(ourText[row] ?? [])].join(' | ')} |`,
    ),
  ];
}

/** Minimum, maximum and average of every row as text. */
function shown(rows: readonly (readonly number[] | null)[], hasBest: boolean): string[][] {
  const best = [0, 1, 2].map((column) =>
    Math.min(...rows.map((row) => row?.[column] ?? Number.POSITIVE_INFINITY)),
  );
  return rows.map((row) =>
    best.map((least, column) => {
      const value = row?.[column];
      if (value === undefined) return '–';
      const text = value.toFixed(3);
      return hasBest && value === least ? `**${text}**` : text;
    }),
  );
}
