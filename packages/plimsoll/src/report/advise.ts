import { printable } from '../host/printable.js';
import {
  type Advice,
  type Budget,
  type Objective,
  objectives,
  type Prediction,
  type Verification,
  type VerificationNoise,
} from '../results/advice.js';
import { between } from './advise-band.js';
import { operationLines, requestLines } from './advise-requests.js';
import { findingLines } from './finding-lines.js';
import { whatIfLines } from './findings/advise.js';
import {
  formatBytes,
  formatChange,
  formatCount,
  formatDuration,
  formatMs,
  formatRate,
  list,
  percent,
} from './format.js';
import { machineLine } from './machine-line.js';
import type { Style } from './style.js';
import { type Column, renderTable, wrap } from './table.js';

/** The whole advice for a terminal: what was recorded, what each size would do, which to take, what none of them fixes. */
export function adviceReport(advice: Advice, style: Style): string {
  const sections = [
    header(advice, style),
    requestLines(advice, style),
    operationLines(advice, style),
    recommendation(advice, style),
    predictions(advice, style),
    recorded(advice, style),
    findingLines('What no size fixes', advice.findings, style),
    verified(advice, style),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function header({ environment, method, trace }: Advice, { color, width }: Style): string[] {
  const cores = `${formatCount(method.cores, 'core')}${method.quotaCores === null ? '' : ` under a quota of ${method.quotaCores}`}`;
  const how = `simulated on ${cores}, ${method.resamples} resampled runs, seed ${method.seed}, ${formatDuration(method.seconds * 1000)}`;
  const changes = whatIfLines(method.whatIf);
  const command = trace.command.length === 0 ? [] : wrap(printable(trace.command.join(' ')), width);
  return [
    color.bold('plimsoll advise'),
    ...command.map(color.dim),
    ...wrap(machineLine(environment), width).map(color.dim),
    ...wrap(how, width).map(color.dim),
    ...(changes.length === 0
      ? []
      : wrap(`what if: ${printable(list(changes))}`, width).map((line) => color.yellow(line))),
  ];
}

const MOST_KINDS = 6;

const PARTS: readonly (readonly [keyof Budget, string])[] = [
  ['queueWaitMs', 'for a thread'],
  ['coreWaitMs', 'for a core'],
  ['cpuMs', 'on CPU'],
  ['blockedMs', 'blocked'],
  ['eventLoopMs', 'for the loop'],
];

const right = (title: string, expendable = 0): Column => ({ title, align: 'right', expendable });

function recorded({ trace }: Advice, { color, width }: Style): string[] {
  const processes = trace.processes === 1 ? '' : `, ${trace.processes} processes`;
  const title = `Recorded: ${formatCount(trace.jobs, 'job')} in ${formatMs(trace.durationMs)} with ${formatCount(trace.size, 'pool thread')}${processes}`;
  const columns: Column[] = [
    { title: 'mean', align: 'left', expendable: 0 },
    right('jobs', 4),
    right('latency'),
    ...PARTS.map(([, name], index) => right(name, index === 3 ? 2 : 1)),
  ];
  const row = (name: string, jobs: number, latency: number, budget: Budget): string[] => [
    name,
    String(jobs),
    formatMs(latency),
    ...PARTS.map(([part]) => formatMs(budget[part].mean)),
  ];
  const kinds = trace.byKind.slice(0, MOST_KINDS);
  const all = PARTS.reduce((sum, [part]) => sum + trace.budget[part].mean, 0);
  const rows = [
    ...kinds.map(({ kind, jobs, latencyMs, budget }) => row(printable(kind), jobs, latencyMs.mean, budget)),
    ...(trace.byKind.length === 1 ? [] : [row('all', trace.jobs, all, trace.budget)]),
  ];
  const [head = '', ...body] = renderTable(columns, rows, width - 2);
  return [
    color.bold(title),
    `  ${color.dim(head)}`,
    ...body.map((line) => `  ${line}`),
    ...trace.notes.flatMap(({ text }) =>
      wrap(`! ${printable(text)}`, width - 2, '  ').map((line) => `  ${color.yellow(line)}`),
    ),
  ];
}

interface Field {
  readonly column: Column;
  readonly text: (prediction: Prediction) => string;
}

const FIELDS: readonly Field[] = [
  { column: right('size'), text: ({ size }) => String(size) },
  { column: right('waits', 3), text: ({ queueWaitMs }) => formatMs(queueWaitMs.mean) },
  { column: right('latency'), text: ({ latencyMs }) => formatMs(latencyMs.mean) },
  {
    column: { title: 'band', align: 'left', expendable: 0 },
    text: ({ low, high }) => between(low.latencyMs.mean, high.latencyMs.mean),
  },
  { column: right('p50', 8), text: ({ latencyMs }) => formatMs(latencyMs.p50) },
  { column: right('p95', 7), text: ({ latencyMs }) => formatMs(latencyMs.p95) },
  { column: right('p99'), text: ({ latencyMs }) => formatMs(latencyMs.p99) },
  {
    column: { title: 'band', align: 'left', expendable: 6 },
    text: ({ low, high }) => between(low.latencyMs.p99, high.latencyMs.p99),
  },
  { column: right('in all', 2), text: ({ makespanMs }) => formatMs(makespanMs) },
  { column: right('jobs/s', 4), text: ({ jobsPerSecond }) => formatRate(jobsPerSecond) },
  { column: right('in use', 5), text: ({ utilization }) => `${percent(utilization)} %` },
  { column: right('loop delay', 1), text: ({ eventLoopDelayMs }) => formatMs(eventLoopDelayMs.p99) },
  {
    column: right('memory', 9),
    text: ({ memoryBytes }) => formatBytes(memoryBytes),
  },
];

/** Columns that say why, when requests or operations have said what. */
const WHY = new Set(['size', 'waits', 'latency', 'in all', 'jobs/s', 'in use', 'loop delay', 'memory']);

function predictions({ predictions: all, recommended, method }: Advice, { color, width }: Style): string[] {
  const [first] = all;
  if (first === undefined) return [];
  const isWhy = first.requests !== null || first.operations.length > 0;
  const fields = isWhy ? FIELDS.filter(({ column }) => WHY.has(column.title)) : FIELDS;
  const rows = all.map((prediction) =>
    fields.map(({ text }) =>
      prediction.size === recommended.size ? color.bold(text(prediction)) : text(prediction),
    ),
  );
  const [head = '', ...body] = renderTable(
    fields.map(({ column }) => column),
    rows,
    width - 4,
  );
  const what =
    whatIfLines(method.whatIf).length === 0 ? 'What other sizes would do' : 'What sizes would do then';
  const title = isWhy ? 'Why: jobs of the pool' : what;
  return [
    color.bold(title),
    `    ${color.dim(head)}`,
    ...body.map((line, index) => `  ${all[index]?.size === recommended.size ? '→' : ' '} ${line}`),
  ];
}

const OBJECTIVE: Record<Objective, string> = {
  mean: 'mean latency',
  p99: 'p99 of the latency',
  throughput: 'throughput',
  makespan: 'time in all',
};

/** What the recommendation was made by, in words. */
export function objectiveName({ recommended, method }: Advice): string {
  const named = recommended.reasons.find(({ id }) => id === 'advise.predicted')?.evidence.objective;
  return OBJECTIVE[objectives.find((one) => one === named) ?? method.objective];
}

function recommendation(advice: Advice, { color, width }: Style): string[] {
  const { recommended } = advice;
  const text = `UV_THREADPOOL_SIZE=${recommended.size}`;
  const why = `by ${objectiveName(advice)}; confidence ${recommended.confidence}: ${recommended.because}`;
  return [color.bold(text), ...wrap(why, width - 2).map((line) => `  ${line}`)];
}

const signed = (error: number): string => `${error < 0 ? '−' : '+'}${percent(error)} %`;

interface Verified {
  readonly title: string;
  readonly pick: (one: Verification['predicted']) => number;
  readonly isIn: (one: Verification) => boolean;
  readonly format?: (value: number) => string;
}

const VERIFIED: readonly Verified[] = [
  { title: 'latency', pick: ({ latencyMs }) => latencyMs.mean, isIn: ({ inBand }) => inBand.mean },
  { title: 'p99', pick: ({ latencyMs }) => latencyMs.p99, isIn: ({ inBand }) => inBand.p99 },
  { title: 'in all', pick: ({ makespanMs }) => makespanMs, isIn: ({ inBand }) => inBand.makespan },
];

const OF_REQUESTS: readonly Verified[] = [
  {
    title: 'mean',
    pick: ({ requests }) => requests?.latencyMs.mean ?? 0,
    isIn: ({ requestsInBand }) => requestsInBand?.mean ?? true,
  },
  {
    title: 'p99',
    pick: ({ requests }) => requests?.latencyMs.p99 ?? 0,
    isIn: ({ requestsInBand }) => requestsInBand?.p99 ?? true,
  },
  {
    title: 'requests/s',
    pick: ({ requests }) => requests?.perSecond ?? 0,
    isIn: ({ requestsInBand }) => requestsInBand?.perSecond ?? true,
    format: formatRate,
  },
];

/** Requests where every size had some, else jobs. */
const verifiedFigures = (verification: readonly Verification[]): readonly Verified[] =>
  verification.every(({ measured, predicted }) => measured.requests !== null && predicted.requests !== null)
    ? OF_REQUESTS
    : VERIFIED;

/** Of so many figures what was predicted, what was measured and the error. */
function verifiedTable(verification: readonly Verification[], figures: number): string[] {
  const shown = verifiedFigures(verification).slice(0, figures);
  return renderTable(
    [right('size'), ...shown.flatMap(({ title }) => [title, 'measured', 'error'].map((name) => right(name)))],
    verification.map((one) => [
      String(one.size),
      ...shown.flatMap(({ pick, isIn, format = formatMs }) => [
        format(pick(one.predicted)),
        format(pick(one.measured)),
        `${signed(pick(one.relativeError))}${isIn(one) ? '' : ' *'}`,
      ]),
    ]),
    Number.POSITIVE_INFINITY,
  );
}

function verified({ verification, verificationNoise }: Advice, { color, width }: Style): string[] {
  if (verification.length === 0) return [];
  // A measured figure says nothing without its error: what is too wide for the terminal goes by threes.
  const tables = [3, 2, 1].map((parts) => verifiedTable(verification, parts));
  const [head = '', ...body] =
    tables.find((lines) => lines.every((line) => line.length <= width - 2)) ?? tables.at(-1) ?? [];
  const runs = Math.max(...verification.map((one) => one.runs));
  const figures = verifiedFigures(verification);
  const isOut = verification.some((one) => figures.some(({ isIn }) => !isIn(one)));
  const isAsked = verification.some(({ predicted }) => predicted.requests !== null);
  return [
    color.bold(
      `Predicted and measured (${runs === 1 ? '1 run' : `medians of ${runs} runs`} each, fresh processes)`,
    ),
    `  ${color.dim(head)}`,
    ...body.map((line) => `  ${line}`),
    ...(isOut ? [color.dim('  * outside the predicted band')] : []),
    ...(isAsked && figures === VERIFIED
      ? wrap(NOBODY_ASKED, width - 2).map((line) => color.dim(`  ${line}`))
      : []),
    ...(verificationNoise === null ? [] : noiseLines(verificationNoise, verification, width)),
  ];
}

const NOBODY_ASKED =
  'requests cannot be verified: a run of a server has none unless the command brings its clients, and these are its jobs';

/** What the machine's noise alone does to a measured latency: an error of that size is not the model's. */
function noiseLines(
  { aaRatio, aaInterval, noisy }: VerificationNoise,
  [first]: readonly Verification[],
  width: number,
): string[] {
  const twin = `the twin of size ${first?.size} differed by ${formatChange(aaRatio, aaInterval)} in mean latency`;
  const text = noisy
    ? `${twin}: the machine was too noisy to tell how wrong the prediction is`
    : `${twin}: noise of the machine, not an error of the prediction`;
  return wrap(text, width - 2, '').map((line) => `  ${line}`);
}
