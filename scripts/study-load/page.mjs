// The page of the study, derived from its result: the original's figures beside these, and what agrees.
import { agreement, clusterAgainstFork, percent, seconds, twinDifference } from './agreement.mjs';
import { ORIGINAL } from './original.mjs';

const NAMES = { 'pm2-fork': 'PM2 fork mode', 'pm2-cluster': 'PM2 cluster mode' };

/** @param plimsoll the library. @param result a complete result of `plimsoll load`. */
export function page(plimsoll, result, scale) {
  const { method } = result;
  return [
    '# A server under load at every pool size',
    '',
    'Measured by `npm run study:load`; the raw result, every run of it, is [load.json](load.json). It fills the six tables of',
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
    ...plimsoll.loadMethodLines(result),
    `- each request: ${method.operation}`,
    `- the original: ${ORIGINAL.cpus} CPUs, one run a cell; most of its cluster tables were left at 0.000, not measured`,
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
    ...plimsoll.loadRecommendationsMarkdown(result),
    '',
    ...tables(result).flatMap((one) => table(plimsoll, one, result)),
  ].join('\n');
}

/** How far the figures can be trusted: how much the same work varied, and where requests failed. */
function quality(result) {
  const costs = result.cells.map(({ cpuSeconds, operationMs }) => cpuSeconds / operationMs.count);
  const twins = tables(result).map(
    ({ title, cells }) => `${title} ${percent(twinDifference(cells, result.method.baseline))}`,
  );
  const failed = tables(result).flatMap(({ title, cells }) =>
    cells
      .filter(({ errors }) => errors > 0)
      .map(({ size, errors }) => `${errors} at ${size} threads in ${title}`),
  );
  return [
    `- average latency of the two runs at ${result.method.baseline}, the slower against the faster: ${twins.join('; ')}`,
    `- CPU time for one operation, the same in every cell: ${seconds(Math.min(...costs))} to ${seconds(Math.max(...costs))} s; differences within that ratio may be the machine's`,
    ...(failed.length === 0
      ? []
      : [`- requests that failed, whose operations are missing from the figures: ${failed.join('; ')}`]),
  ];
}

/** The six tables in the original's order. */
function tables({ method, cells }) {
  return method.tables.map(({ mode, instances, case: name, parallel, requests }) => ({
    ...{ mode, instances, name, parallel, requests },
    title: `case ${name}, ${NAMES[mode]}${instances > 1 ? ` (${instances} instances)` : ''}`,
    original: ORIGINAL[mode]?.[name],
    cells: cells.filter((cell) => cell.mode === mode && cell.case === name),
  }));
}

function claims({ title, original, cells }, { method, environment }) {
  const rows = agreement({
    ...{ table: original, cells, baseline: method.baseline },
    ...{ cpus: environment.cpu.effectiveCpus, originalCpus: ORIGINAL.cpus },
  });
  return [
    `### ${title}`,
    '',
    '| the original says | its figures | here | |',
    '|---|---|---|---|',
    ...rows.map(
      ({ claim, original: theirs, here, verdict }) =>
        `| ${claim} | ${theirs ?? 'not measured'} | ${here} | ${verdict === 'differs' ? '**differs**' : verdict} |`,
    ),
    '',
    ...rows.map(({ claim, why }) => `- ${claim}: ${why}.`),
    '',
  ];
}

function cluster(result) {
  const all = tables(result);
  const lines = all
    .filter(({ mode }) => mode === 'pm2-cluster')
    .flatMap(({ name, instances, cells, original }) => {
      const fork = all.find((one) => one.mode === 'pm2-fork' && one.name === name);
      if (fork === undefined) return [];
      return clusterAgainstFork({
        ...{ fork: fork.cells, cluster: cells, instances },
        ...{ originalFork: fork.original, originalCluster: original },
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

function bystander({ title, cells }) {
  const p99 = cells.map((cell) => `${cell.size}: ${cell.bystanderMs.p99.toFixed(0)}`).join(', ');
  const done = cells.map((cell) => cell.completionMs.mean / 1000);
  return `- ${title}: the bystander's p99 in milliseconds by size is ${p99}; meanwhile the mean time to the end of an operation lies between ${seconds(Math.min(...done))} and ${seconds(Math.max(...done))} s.`;
}

function table(plimsoll, { title, parallel, requests, original, cells }, result) {
  return [
    `## ${title}`,
    '',
    `Parallels ${parallel}, requests ${requests}.`,
    '',
    ...beside(original, cells),
    '',
    ...plimsoll.loadTableMarkdown(cells, result),
    '',
  ];
}

/** The original's columns beside the same here, the best of each bold. */
function beside(original, cells) {
  const rows = cells.map(({ size, operationMs: { min, max, mean } }) => ({
    size,
    theirs: original?.[size] ?? null,
    ours: [min, max, mean].map((value) => value / 1000),
  }));
  const least = (side) =>
    [0, 1, 2].map((column) => Math.min(...rows.flatMap((row) => row[side]?.[column] ?? [])));
  const [theirBest, ourBest] = [least('theirs'), least('ours')];
  const several = Object.keys(original ?? {}).length > 1;
  const show = (values, best, bold) =>
    [0, 1, 2].map((column) => {
      if (values === null) return '–';
      const text = values[column].toFixed(3);
      return bold && values[column] === best[column] ? `**${text}**` : text;
    });
  return [
    '| UV_THREADPOOL_SIZE | original min | max | average | here min | max | average |',
    '|---:|---:|---:|---:|---:|---:|---:|',
    ...rows.map(
      ({ size, theirs, ours }) =>
        `| ${[size, ...show(theirs, theirBest, several), ...show(ours, ourBest, true)].join(' | ')} |`,
    ),
  ];
}
