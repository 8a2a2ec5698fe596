import { type Column, environmentLines, formatDuration, markdownTable } from '@plimsoll/lab';
import type { Estimate } from '../common/estimate.js';
import { formatEstimate, formatFigure } from '../common/format.js';
import { CONTENDERS, type ContenderName } from '../contenders/contenders.js';
import type { BenchPoolResult, CaseResult } from '../result.js';
import { CONDITIONS, RIVALS } from './case.js';
import { type Cell, cellsOf, ENOUGH, failuresOf, measuredShapes, placeIn, summaryOf } from './cells.js';
import { MEMORY_CASE } from './memory.js';
import { inFlightOf, type Shape } from './shapes.js';

const left = (title: string): Column => ({ title, align: 'left', expendable: 0 });
const right = (title: string): Column => ({ title, align: 'right', expendable: 0 });

const short = (value: number): string => formatFigure(value, value < 10 ? 2 : value < 100 ? 1 : 0);

/** A cell under 0.9 is to be seen. */
const rateText = (rate: Estimate): string =>
  rate.value < ENOUGH ? `**${formatEstimate(rate)}**` : formatEstimate(rate);

const cpuText = (cpu: Estimate): string =>
  cpu.value > 1 / ENOUGH ? `**${formatEstimate(cpu)}**` : formatEstimate(cpu);

const lineOf = (version: string): string => version.split('.')[0] ?? version;

/** The page of all nodes that were measured, the worst first. */
export function page(results: readonly BenchPoolResult[], json: string): string {
  const cells = results.flatMap(cellsOf);
  const versions = results[0]?.versions ?? {};
  const seconds = results.flatMap(({ cases }) => cases).reduce((sum, one) => sum + one.seconds, 0);
  const failures = results.flatMap(failuresOf);
  return [
    '# Values of 25 shapes, beside Piscina',
    '',
    ...headlines(cells),
    ...(failures.length === 0
      ? []
      : ['', '**Without figures:**', '', ...failures.map((text) => `- ${text}`)]),
    '',
    ...summaries(results),
    '',
    `Measured by \`npm run bench:pool -- shapes\`; every single round is in [${json}](${json}).`,
    '',
    '## How',
    '',
    '- **In**: the value is the argument of a task that returns nothing. **Out**: the task takes a number and returns the value, which its worker made beforehand. What is moved is made for each task, by a contender and its rivals alike, and nobody touches its bytes. Two workers.',
    '- **One**: each task is awaited before the next is sent. **Many**: 64 in flight from a closed loop; fewer where values would take more than 16 MB together, four of those that are larger still. The tables say how many.',
    "- Each figure is in times Piscina's: the Hodges–Lehmann estimate of the paired rounds with its exact interval of signed ranks, 95 % unless another level is named. Rates: more is better. CPU: `process.cpuUsage()` of the process, which has the threads of both sides, host and workers, for each task; less is better.",
    '- Each pool has a process of its own, Piscina two (A/A twin). They are alive at once and take turns: a block gives each one round of the four conditions, 30 ms each after 6 ms to get going, in random order; every second block is the one before reversed. After four rounds fresh processes follow. Each works for 420 ms per condition before that, and where these are less than 4,000 tasks for up to 1.2 s more, since V8 compiles what has run often.',
    '- Each process compares once, in both directions, what arrived with what `structuredClone` makes of the value; after that the sizes of values.',
    '- "bare worker_threads" is a `postMessage` to two workers in turn, with an id by which the answer finds its promise.',
    ...environmentLines((results.at(-1) as BenchPoolResult).environment, versions),
    `- Nodes ${results.map(({ environment }) => environment.node.version).join(', ')}; ${formatDuration(seconds * 1000)} in all`,
    ...results.flatMap((result) => ['', ...nodeMarkdown(result)]),
    ...memoryMarkdown(results),
    '',
  ].join('\n');
}

/** What counts, the worst first. */
export function headlines(cells: readonly Cell[]): string[] {
  const summary = summaryOf(cells);
  if (summary === null) return ['No shape was measured.'];
  const { worst, under, surelyUnder, mostCpu, medianCpu } = summary;
  return [
    `**The worst cell: ${formatEstimate(worst.rate)} times Piscina's rate. ${nameOf(worst)}.**`,
    '',
    `Of ${cells.length} cells ${under} are under ${ENOUGH}, ${surelyUnder} of them with their whole interval. The median of all is ${short(summary.median)} times Piscina's rate.` +
      (mostCpu === null || medianCpu === null
        ? ''
        : ` The most CPU: ${formatEstimate(mostCpu.cpu)} times Piscina's (${nameOf(mostCpu)}); the median ${short(medianCpu)}.`),
  ];
}

const nameOf = (cell: Cell): string => `${cell.shape.title}; ${placeIn(cell)}; Node ${lineOf(cell.node)}`;

const summaries = (results: readonly BenchPoolResult[]): string[] =>
  markdownTable(
    [
      left('Node'),
      right('worst rate'),
      left('of'),
      right('median rate'),
      right(`cells under ${ENOUGH}`),
      right('whole interval'),
      right('most CPU'),
      left('of'),
      right('median CPU'),
    ],
    results.flatMap((result) => {
      const summary = summaryOf(cellsOf(result));
      if (summary === null) return [];
      const { worst, mostCpu, medianCpu } = summary;
      return [
        [
          result.environment.node.version,
          rateText(worst.rate),
          `${worst.shape.title}; ${placeIn(worst)}`,
          short(summary.median),
          String(summary.under),
          String(summary.surelyUnder),
          mostCpu === null ? '' : cpuText(mostCpu.cpu),
          mostCpu === null ? '' : `${mostCpu.shape.title}; ${placeIn(mostCpu)}`,
          medianCpu === null ? '' : short(medianCpu),
        ],
      ];
    }),
  );

function nodeMarkdown(result: BenchPoolResult): string[] {
  const shapes = measuredShapes(result);
  if (shapes.length === 0) return [];
  const cells = cellsOf(result);
  const titles = CONDITIONS.map(({ title }) => right(title));
  const of = (shape: Shape, text: (cell: Cell) => string): string[] =>
    CONDITIONS.map(({ id }) => {
      const cell = cells.find((one) => one.shape === shape && one.condition.id === id);
      return cell === undefined ? '–' : text(cell);
    });
  const peers = RIVALS.filter((name) => name !== 'plimsoll' && name !== 'piscina');
  const { version } = result.environment.node;
  return [
    `## Node ${lineOf(version)}`,
    '',
    `Rate in times Piscina's, on Node ${version}. ${twins(shapes)}`,
    '',
    ...markdownTable(
      [left('value'), right('many'), ...titles],
      shapes.map(([shape]) => [
        shape.title,
        String(inFlightOf(shape)),
        ...of(shape, ({ rate }) => rateText(rate)),
      ]),
    ),
    '',
    "CPU of a task, host and workers, in times Piscina's: less is better.",
    '',
    ...markdownTable(
      [left('value'), ...titles],
      shapes.map(([shape]) => [shape.title, ...of(shape, ({ cpu }) => (cpu === null ? '–' : cpuText(cpu)))]),
    ),
    '',
    "The others' rates in times Piscina's, in the same rounds, and Piscina's own.",
    '',
    ...markdownTable(
      [
        left('value'),
        ...peers.flatMap((peer) =>
          CONDITIONS.map(({ title }) => right(`${CONTENDERS[peer].title}: ${title}`)),
        ),
        ...CONDITIONS.map(({ title }) => right(`piscina, tasks/s: ${title}`)),
      ],
      shapes.map(([shape, one]) => [
        shape.title,
        ...peers.flatMap((peer) => CONDITIONS.map(({ id }) => timesOf(one, peer, id))),
        ...CONDITIONS.map(({ id }) => rateOf(one, id)),
      ]),
    ),
  ];
}

/** How far apart equal things were measured: the twins' ratios in the condition that they are compared by. */
function twins(shapes: readonly (readonly [Shape, CaseResult])[]): string {
  const ratios = shapes.flatMap(([, { twin }]) => (twin === null ? [] : [twin.value]));
  if (ratios.length === 0) return '';
  return `The A/A twins, in one in flight: ${short(Math.min(...ratios))} to ${short(Math.max(...ratios))}.`;
}

const rowOf = ({ rows }: CaseResult, contender: ContenderName) =>
  rows.find((row) => row.contender === contender);

function timesOf(one: CaseResult, contender: ContenderName, metric: string): string {
  const estimate = rowOf(one, contender)?.times[metric];
  return estimate ? short(estimate.value) : '–';
}

function rateOf(one: CaseResult, metric: string): string {
  const value = rowOf(one, 'piscina')?.medians[metric];
  return value === undefined ? '–' : formatFigure(value, value < 100 ? 1 : 0);
}

function memoryMarkdown(results: readonly BenchPoolResult[]): string[] {
  const rows = results.flatMap(({ environment, cases }) =>
    (cases.find(({ name }) => name === MEMORY_CASE.name)?.rows ?? []).map(({ title, without, medians }) => [
      lineOf(environment.node.version),
      title,
      ...(without === null
        ? MEMORY_CASE.metrics.map(({ id, digits }) => formatFigure(medians[id] ?? Number.NaN, digits))
        : [without]),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    '',
    `## ${MEMORY_CASE.title}`,
    '',
    MEMORY_CASE.description,
    '',
    ...markdownTable(
      [left('Node'), left('pool'), ...MEMORY_CASE.metrics.map(({ title }) => right(title))],
      rows,
    ),
  ];
}
