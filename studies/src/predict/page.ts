// From the result of the study to its page.
import { formatEstimate, quantile } from 'plimsoll/lab';
import { notesMarkdown } from '../common/notes.js';
import { NOTES } from './notes.js';
import { programsMarkdown } from './programs/page.js';
import type { CaseResult, Compared, Predicted, PredictionStudy } from './result.js';

/** NaN, which no page should show, where there is nothing. */
const median = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : quantile(values, 0.5);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(0)} %`;
const ms = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));

export interface Summary {
  /** Medians of absolute errors, as shares. */
  readonly mean: number;
  readonly p99: number;
  readonly makespan: number;
  /** Share of the measured values that lie inside their band. */
  readonly covered: number;
  readonly worstRegret: number;
  /** The longest advice as a share of its sweep. */
  readonly share: number;
  readonly compared: number;
}

/** What all predictions of sizes that were not recorded come to. */
export function summaryOf(results: readonly CaseResult[]): Summary {
  const predictions = results.flatMap((result) => result.predictions);
  const compared = predictions.flatMap((one) => one.compared);
  const absolute = (pick: (error: Compared['relativeError']) => number): number =>
    median(compared.map((one) => Math.abs(pick(one.relativeError))));
  const inBand = compared.flatMap((one) => Object.values(one.inBand));
  return {
    mean: absolute(({ latencyMs }) => latencyMs.mean),
    p99: absolute(({ latencyMs }) => latencyMs.p99),
    makespan: absolute(({ makespanMs }) => makespanMs),
    covered: inBand.filter(Boolean).length / inBand.length,
    worstRegret: Math.max(...predictions.map(({ regret }) => regret)),
    share: Math.max(
      ...results.map(({ predictions: [first], sweepMs }) => (first?.adviceMs ?? Number.NaN) / sweepMs),
    ),
    compared: compared.length,
  };
}

/** The page. */
export function predictionPage(study: PredictionStudy): string {
  const { startedAt, environment, scale, results, programs = [], skipped = [] } = study;
  const { node, cpu } = environment;
  const shown = [
    ...programs,
    ...rowsOf(results)
      .filter(isOff)
      .map(({ result }) => result),
  ];
  const isShown = (about: string): boolean => shown.some(({ name }) => name === about);
  return `${[
    '# How wrong predictions are',
    '',
    'Written by `npm run study:predict`: programs from npm, and synthetic workloads whose answer is known.',
    '',
    `Node ${node.version}, libuv ${node.libuv}, ${cpu.effectiveCpus} CPUs (${cpu.model ?? 'unknown'}), ${startedAt.slice(0, 10)}${scale === 1 ? '' : `, scale ${scale}`}.`,
    '',
    ...programsMarkdown(programs, skipped),
    ...(results.length === 0 ? [] : syntheticMarkdown(study)),
    ...notesMarkdown(NOTES, startedAt, isShown),
  ].join('\n')}`;
}

function syntheticMarkdown(study: PredictionStudy): string[] {
  const { runs, objective, results } = study;
  const summary = summaryOf(results);
  const verdict = (reached: string, isMet: boolean): string =>
    `${reached} ${isMet ? 'reached' : '**missed**'}`;
  return [
    '## Synthetic workloads',
    '',
    'Each workload runs once with 4 threads and once with 16 under the recorder; from each',
    'of these two runs other sizes are predicted, and then measured: fresh processes, every size once in each of',
    `${runs} ${runs === 1 ? 'block' : 'blocks'} in random order, medians. No figure of [the model](../internals/model.md) is fitted to these workloads; the thresholds by which chains are told from chance (\`src/trace/parents.ts\`) were set with earlier recordings of them in view. Objective: ${objective}.`,
    '',
    '| what | target | reached |',
    '| --- | --- | --- |',
    `| median error of the mean latency | 8 % | ${verdict(percent(summary.mean), summary.mean <= 0.08)} |`,
    `| median error of the makespan | 8 % | ${verdict(percent(summary.makespan), summary.makespan <= 0.08)} |`,
    `| median error of the p99 | 20 % | ${verdict(percent(summary.p99), summary.p99 <= 0.2)} |`,
    `| measured values inside the band | 80 % | ${verdict(percent(summary.covered), summary.covered >= 0.8)} |`,
    `| worst regret: mean latency at the recommended size against the best | 5 % | ${verdict(percent(summary.worstRegret), summary.worstRegret <= 0.05)} |`,
    `| time of advice against that of the sweep, worst | 10 % | ${verdict(percent(summary.share), summary.share <= 0.1)} |`,
    '',
    `${summary.compared} predictions of sizes that were not recorded. *Spread* is how far the runs of one size were apart (highest`,
    'less lowest mean, by the median): what no prediction can do better than. A star marks a measured value outside of its band.',
    `A run in which the same jobs took over 10 % more or less CPU than is usual for them met another machine; it was repeated, five times at most: ${sum(results.map(({ repeated }) => repeated))} were.`,
    '',
    ...byWorkload(study),
    ...results.flatMap(section),
  ];
}

/** Runs of one size that were no further apart met the same machine. */
const STEADY = 0.1;
/** A workload whose figures are further off, by the median, is explained. */
const MUCH = 0.2;
const LITTLE_COVERED = 0.6;
const LITTLE_REGRET = 0.05;

const rowsOf = (results: readonly CaseResult[]): WorkloadRow[] =>
  results.map((result) => ({ result, ...summaryOf([result]), spread: usualSpread(result) }));

const isOff = ({ mean, p99, makespan, covered, worstRegret }: WorkloadRow): boolean =>
  Math.max(mean, p99, makespan) > MUCH || covered < LITTLE_COVERED || worstRegret > LITTLE_REGRET;

/** Where the errors are, and how far the machine explains them. */
function byWorkload({ results, runs }: PredictionStudy): string[] {
  const rows = rowsOf(results);
  const off = rows.filter(isOff);
  return [
    '### Where, and why',
    '',
    '| workload | mean | p99 | makespan | in band | worst regret | usual spread |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(
      ({ result, mean, p99, makespan, covered, worstRegret, spread }) =>
        `| ${[result.name, ...[mean, p99, makespan, covered, worstRegret, spread].map(percent)].join(' | ')} |`,
    ),
    '',
    ...(runs === 1 ? [] : [steadyLine(results), '']),
    worstLine(rows, runs),
    '',
    'The usual error of the mean, by the run that it is predicted from: what that run met, all predictions from it carry.',
    '',
    ...off.map(({ result }) => `- \`${result.name}\`: ${result.predictions.map(usualError).join(' ')}`),
    '',
  ];
}

interface WorkloadRow extends Summary {
  readonly result: CaseResult;
  readonly spread: number;
}

function worstLine(rows: readonly WorkloadRow[], runs: number): string {
  const most = (pick: (row: WorkloadRow) => number): WorkloadRow =>
    rows.reduce((worst, row) => (pick(row) > pick(worst) ? row : worst));
  const regretted = most(({ worstRegret }) => worstRegret);
  const slow = most(({ share }) => share);
  return (
    `The worst regret is that of \`${regretted.result.name}\`, where runs of one size are ${percent(regretted.spread)} apart; ` +
    `the longest advice that of \`${slow.result.name}\`, ${percent(slow.share)} of its sweep, of which the recorded run is ` +
    `about ${percent(1 / (slow.result.spread.length * runs))}.`
  );
}

/** Which way the predictions from a run are off. */
const usualError = ({ from, compared }: Predicted): string =>
  `${signed(median(compared.map(({ relativeError }) => relativeError.latencyMs.mean)))} from the run with ${from} threads.`;

const usualSpread = ({ spread }: CaseResult): number => median(spread.map(({ share }) => share));

/** The errors again, of the sizes whose runs agreed. */
function steadyLine(results: readonly CaseResult[]): string {
  const steady = results.flatMap(({ predictions, spread }) => {
    const isSteady = ({ size }: Compared): boolean => spreadAt(spread, size) <= STEADY;
    return predictions.flatMap(({ compared }) => compared.filter(isSteady));
  });
  const off = (pick: (error: Compared['relativeError']) => number): string =>
    percent(median(steady.map(({ relativeError }) => Math.abs(pick(relativeError)))));
  return steady.length === 0
    ? 'The runs of no size agreed within 10 %: the machine was not the same from one to the next.'
    : `Where the runs of the measured size agreed within 10 % (${steady.length} predictions), the median errors are ` +
        `${off(({ latencyMs }) => latencyMs.mean)} of the mean, ${off(({ latencyMs }) => latencyMs.p99)} of the p99 and ` +
        `${off(({ makespanMs }) => makespanMs)} of the makespan.`;
}

function section({ name, what, jobs, spread, predictions, sweepMs, twin }: CaseResult): string[] {
  const rows = predictions.flatMap(({ from, compared }) =>
    compared.map(({ size, predicted, measured, relativeError, inBand }) =>
      [
        `${from} → ${size}`,
        ms(predicted.latencyMs.mean),
        ms(measured.latencyMs.mean),
        signed(relativeError.latencyMs.mean) + star(inBand.mean),
        signed(relativeError.latencyMs.p99) + star(inBand.p99),
        signed(relativeError.makespanMs) + star(inBand.makespan),
        percent(spreadAt(spread, size)),
      ].join(' | '),
    ),
  );
  const recommendations = predictions.map(
    ({ from, recommended, regret, adviceMs }) =>
      `- from ${from}: **${recommended.size}** (${recommended.confidence}), regret ${percent(regret)}, in ${(adviceMs / 1000).toFixed(1)} s of the sweep’s ${(sweepMs / 1000).toFixed(0)} s`,
  );
  return [
    `### ${name}`,
    '',
    `${what.slice(0, 1).toUpperCase()}${what.slice(1)}; ${jobs} jobs.${twin ? ` A/A twin, mean latency: ${formatEstimate(twin)} ×.` : ''}`,
    '',
    '| from → to | predicted ms | measured ms | mean | p99 | makespan | spread |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${row} |`),
    '',
    ...recommendations,
    '',
  ];
}

const spreadAt = (spread: CaseResult['spread'], size: number): number =>
  spread.find((one) => one.size === size)?.share ?? Number.NaN;

const star = (isIn: boolean): string => (isIn ? '' : ' *');
