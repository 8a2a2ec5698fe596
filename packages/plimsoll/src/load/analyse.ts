import { itemAt } from '../collections/item-at.js';
import { type BlockRun, type BlocksOutcome, completeBlocks } from '../lab/blocks.js';
import type { LoadCell, LoadRun } from '../results/load.js';
import { type Comparison, comparePaired, type Noise } from '../stats/paired-comparison.js';
import { median } from '../stats/quantile.js';
import { type Ranking, rankSizes } from '../stats/ranking.js';
import type { Summary } from '../stats/summary.js';
import { describeTraffic } from './method.js';
import { AS_IT_IS, type LoadCase, type LoadPlan, type LoadTarget, type Table } from './options.js';
import { failingSizes, type RankedTable, recommend } from './recommend.js';
import type { LoadMeasurement } from './run.js';

/**
 * What sizes are compared by. Of an open loop the 99th percentile of its requests. Of a closed one the mean time from
 * its first request to the end of each operation, and not the operations' own latency: that one begins when the server
 * takes a request on, and a server whose event loop gets no CPU takes requests on late, so that it looks fast. Where
 * operations are not known, the mean of the requests.
 */
export function timeOf({ completionMs, httpMs }: LoadMeasurement, { kind }: LoadCase): number {
  if (kind === 'open') return httpMs?.p99 ?? Number.NaN;
  return (completionMs ?? httpMs)?.mean ?? Number.NaN;
}

type Runs = readonly BlockRun<LoadMeasurement>[];
/** `sequence`: its place among all runs of its table. */
type SequencedRun = BlockRun<LoadMeasurement> & { readonly sequence: number };

/** The cells of one table, and which size it recommends; every run is kept, only complete blocks are compared. */
export function analyseTable(
  table: Table,
  outcome: Pick<BlocksOutcome<LoadMeasurement>, 'runs'>,
  { sizes, baseline, target }: Pick<LoadPlan, 'sizes' | 'baseline' | 'target'>,
): { cells: LoadCell[]; recommendation: RankedTable | null } {
  const { traffic } = table;
  const complete = completeBlocks({ ...outcome, repeatedBlocks: 0, error: undefined }, sizes);
  const used = (arm: number | 'twin'): Runs => complete.get(arm) ?? [];
  const blocks = used('twin').length;
  const times = (arm: number | 'twin'): number[] => used(arm).map(({ result }) => timeOf(result, traffic));
  const comparison = blocks === 0 ? null : compare(sizes, baseline, times);
  const sequenced = outcome.runs.map((run, sequence) => ({ ...run, sequence }));
  const cells = sizes.flatMap((size) => {
    const ofSize = sequenced.filter(({ arm }) => arm === size || (arm === 'twin' && size === baseline));
    return ofSize.length === 0
      ? []
      : [cell(table, target, size, ofSize, blocks, comparison?.comparisons.get(size) ?? null)];
  });
  if (comparison === null || sizes.length < 2) return { cells, recommendation: null };
  const bystander = (arm: number | 'twin'): number[] =>
    used(arm).map(({ result }) => result.bystanderMs?.p99 ?? 0);
  const twin = bystander('twin');
  const ranking: Ranking = rankSizes(
    eligible(sizes, baseline, cells).map((size) => ({ size, times: times(size), delays: bystander(size) })),
    comparison.noise,
    bystander(baseline).map((delay, block) => [delay, itemAt(twin, block)] as const),
  );
  const { mode, instances } = table;
  const about = { mode, instances, case: traffic.name };
  return { cells, recommendation: { ...about, ...recommend(cells, ranking, comparison.noise, baseline) } };
}

/** A size at which requests fail is out; where they fail at the baseline too, the size is not what makes them fail. */
function eligible(sizes: readonly number[], baseline: number, cells: readonly LoadCell[]): readonly number[] {
  const failing = failingSizes(cells);
  return failing.includes(baseline) ? sizes : sizes.filter((size) => !failing.includes(size));
}

function compare(
  sizes: readonly number[],
  baseline: number,
  times: (arm: number | 'twin') => number[],
): { noise: Noise; comparisons: Map<number, Comparison> } {
  const others = new Map(sizes.filter((size) => size !== baseline).map((size) => [size, times(size)]));
  return comparePaired({ baseline: times(baseline), twin: times('twin'), others });
}

function cell(
  { mode, instances, traffic }: Table,
  target: LoadTarget,
  size: number,
  runs: readonly SequencedRun[],
  blocks: number,
  comparison: Comparison | null,
): LoadCell {
  const used = runs.filter(({ superseded, arm }) => !superseded && arm !== 'twin');
  // In an interrupted block the twin may have been all that there was time for.
  const shown = used.length === 0 ? runs : used;
  return {
    mode,
    instances,
    ...describeTraffic(traffic),
    operationsPerRequest: target.kind === 'sample' ? target.operationsPerRequest : null,
    size: size === AS_IT_IS ? null : size,
    ...middle(shown.map(({ result }) => result)),
    problems: [
      ...new Set(shown.flatMap(({ disturbances, result }) => [...result.problems, ...disturbances])),
    ],
    blocks,
    ratio: comparison?.ratio ?? null,
    interval: comparison === null ? null : [comparison.interval.low, comparison.interval.high],
    level: comparison?.interval.level ?? null,
    p: comparison?.p ?? null,
    verdict: comparison?.verdict ?? null,
    runs: runs.map(loadRun),
  };
}

/** The median of every metric over some runs. */
function middle(results: readonly LoadMeasurement[]) {
  const of = <Value>(pick: (result: LoadMeasurement) => Value | null): Value[] =>
    results.map(pick).filter((value) => value !== null);
  const number = (values: readonly number[]): number | null => (values.length === 0 ? null : median(values));
  const whole = (values: readonly number[]): number | null =>
    values.length === 0 ? null : Math.round(median(values));
  return {
    observedThreads: results.at(-1)?.observedThreads ?? [],
    operationMs: middleSummary(of(({ operationMs }) => operationMs)),
    completionMs: middleSummary(of(({ completionMs }) => completionMs)),
    httpMs: middleSummary(of(({ httpMs }) => httpMs)),
    bystanderMs: middleSummary(of(({ bystanderMs }) => bystanderMs)),
    eventLoopDelayMs: middleFields(of(({ eventLoopDelayMs }) => eventLoopDelayMs)),
    wallMs: median(of(({ wallMs }) => wallMs)),
    throughput: median(of(({ throughput }) => throughput)),
    cpuSeconds: number(of(({ cpuSeconds }) => cpuSeconds)),
    maxRssBytes: whole(of(({ maxRssBytes }) => maxRssBytes)),
    errors: results.reduce((sum, { errors }) => sum + errors, 0),
  };
}

const middleSummary = (summaries: readonly Summary[]): Summary | null => {
  const fields = middleFields(summaries);
  return fields === null ? null : { ...fields, count: Math.round(fields.count) };
};

function middleFields<Fields extends { readonly [name in keyof Fields]: number }>(
  all: readonly Fields[],
): Fields | null {
  const [first] = all;
  if (first === undefined) return null;
  const names = Object.keys(first) as (keyof Fields)[];
  return Object.fromEntries(names.map((name) => [name, median(all.map((one) => one[name]))])) as Fields;
}

function loadRun({ sequence, block, order, arm, result, disturbances, superseded }: SequencedRun): LoadRun {
  return { sequence, block, order, twin: arm === 'twin', ...result, disturbances, superseded };
}
