import {
  blocksOf,
  compareGenerations,
  type GenerationsResult,
  median,
  PlimsollError,
  type RatioInterval,
  type Round,
  type SizeComparison,
} from '@plimsoll/lab';
import type { MeasuredTable } from './measured-table.js';
import { describeTraffic } from './method.js';
import { AS_IT_IS, type LoadCase, type LoadPlan, type LoadTarget, type Table } from './options.js';
import { type RankedTable, recommend } from './recommend.js';
import type { LoadCell, LoadRound, LoadTable } from './result.js';
import type { LoadMeasurement } from './slice.js';
import type { Summary } from './summary.js';

/**
 * What sizes are compared by. Of an open loop the 99th percentile of its requests. Of a closed one the mean time from
 * its first request to the end of each operation, and not the operations' own latency: that one begins when the server
 * takes a request on, and a server whose event loop gets no CPU takes requests on late, so that it looks fast. Where
 * operations are not known, the mean of the requests.
 */
export function timeOf(
  { completionMs, httpMs }: Pick<LoadMeasurement, 'completionMs' | 'httpMs'>,
  { kind }: Pick<LoadCase, 'kind'>,
): number {
  if (kind === 'open') return httpMs?.p99 ?? Number.NaN;
  return (completionMs ?? httpMs)?.mean ?? Number.NaN;
}

type Slice = Round<LoadMeasurement>;
type Options = Pick<LoadPlan, 'sizes' | 'baseline' | 'target' | 'seed'>;

/** What the slices until now say. */
export interface Known {
  /** `null` before there is a complete block. */
  readonly result: GenerationsResult | null;
  /** That it rests on: one that was cut short counts with its complete blocks. */
  readonly generations: number;
  /** Requests fail at the baseline itself, so that nothing will ever be told. */
  readonly isHopeless: boolean;
}

/** Compare the sizes; lost ones, and those at which requests failed, are left out. */
export function compareSlices(
  { table, outcome }: Pick<MeasuredTable, 'table' | 'outcome'>,
  { sizes, baseline, seed }: Pick<LoadPlan, 'sizes' | 'baseline' | 'seed'>,
): Known {
  const { rounds, lost, looks } = outcome;
  const failing = new Set(
    rounds.filter(({ result }) => result.errors > 0).map(({ arm }) => (arm === 'twin' ? baseline : arm)),
  );
  const isHopeless = failing.has(baseline);
  // Where requests fail at the baseline too, the size is not what makes them fail.
  const ids = sizes.filter((size) => !lost.has(size) && (isHopeless || !failing.has(size)));
  const generations = blocksOf(rounds, (result) => ({
    time: timeOf(result, table.traffic),
    delay: result.bystanderMs?.p99 ?? 0,
  }));
  const complete = (block: ReadonlyMap<number | 'twin', unknown>): boolean =>
    [...ids, 'twin' as const].every((id) => block.has(id));
  const known = generations.filter((blocks) => blocks.some(complete)).length;
  return {
    result: known === 0 ? null : compareGenerations(generations, { ids, baseline, looks, seed }),
    generations: known,
    isHopeless,
  };
}

/** What one table showed: how it was measured, its cells, and which size it recommends. Every slice is kept. */
export function analyseTable(
  measured: MeasuredTable,
  options: Options,
): { table: LoadTable; cells: LoadCell[]; recommendation: RankedTable | null } {
  const { table, outcome } = measured;
  const { sizes, baseline, target } = options;
  const { result, generations } = compareSlices(measured, options);
  const cells = sizes.flatMap((size) => {
    const rounds = outcome.rounds.filter(({ arm }) => arm === size || (arm === 'twin' && size === baseline));
    const comparison = result?.comparisons.get(size) ?? null;
    return rounds.length === 0 ? [] : [cell({ table, target, size, rounds, generations, comparison })];
  });
  const { mode, instances, traffic } = table;
  const about = { mode, instances, case: traffic.name };
  const recommendation =
    result === null || sizes.length < 2 ? null : { ...about, ...recommend(cells, result, baseline) };
  return { table: tableOf(measured, result), cells, recommendation };
}

function tableOf(
  { table, isolated, slices, outcome, seconds }: MeasuredTable,
  result: GenerationsResult | null,
): LoadTable {
  const { traffic } = slices;
  return {
    mode: table.mode,
    instances: table.instances,
    case: table.traffic.name,
    method: {
      mode: isolated ? 'isolated' : 'alternating',
      requests: traffic.kind === 'closed' ? traffic.requests : null,
      sliceSeconds: traffic.kind === 'open' ? traffic.durationMs / 1000 : null,
      blocks: slices.blocks,
      generations: outcome.generations,
      mostGenerations: slices.mostGenerations,
      rounds: outcome.rounds.filter(({ arm }) => arm === 'twin').length,
      looks: outcome.looks.length,
      seconds,
      stop: outcome.stop,
    },
    noise: result && { aaRatio: result.aa.ratio, aaInterval: bounds(result.aa), noisy: result.noisy },
    lost: [...outcome.lost].map(([size, reason]) => ({ size, ...failureOf(reason) })),
  };
}

const failureOf = (reason: unknown): { code: string; message: string } =>
  reason instanceof PlimsollError
    ? { code: reason.code, message: reason.message }
    : { code: 'PLIMSOLL_TARGET_FAILED', message: String(reason) };

/** One generation has no spread: an interval of one point would look like certainty. */
const bounds = ({ low, high }: RatioInterval): [number, number] | null =>
  Number.isFinite(high) && low > 0 ? [low, high] : null;

interface CellInput {
  readonly table: Table;
  readonly target: LoadTarget;
  readonly size: number;
  readonly rounds: readonly Slice[];
  readonly generations: number;
  readonly comparison: SizeComparison | null;
}

function cell({ table, target, size, rounds, generations, comparison }: CellInput): LoadCell {
  const own = rounds.filter(({ arm }) => arm !== 'twin');
  // In an interrupted block the twin may have been all that there was time for.
  const shown = (own.length === 0 ? rounds : own).map(({ result }) => result);
  return {
    mode: table.mode,
    instances: table.instances,
    ...describeTraffic(table.traffic),
    operationsPerRequest: target.kind === 'sample' ? target.operationsPerRequest : null,
    size: size === AS_IT_IS ? null : size,
    ...middle(shown),
    problems: problemsOf(shown),
    generations: comparison === null ? 0 : generations,
    ratio: comparison?.ratio ?? null,
    interval: comparison === null ? null : bounds(comparison),
    verdict: comparison?.verdict ?? null,
    probabilityOfBest: comparison?.probabilityOfBest ?? null,
    expectedLoss: comparison?.expectedLoss ?? null,
    chanceSlower: comparison?.chanceSlower ?? null,
    rounds: rounds.map(loadRound),
  };
}

/** A median is the client's own lateness only when half of what it is taken from was. */
function problemsOf(results: readonly LoadMeasurement[]): string[] {
  const all = [...new Set(results.flatMap(({ problems }) => problems))];
  return all.filter((problem) => {
    const hit = results.filter(({ problems }) => problems.includes(problem)).length;
    return problem !== 'generator-bound' || 2 * hit >= results.length;
  });
}

/** The median of every metric over some slices. */
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

const loadRound = ({ generation, block, order, arm, result }: Slice): LoadRound => ({
  generation,
  block,
  order,
  twin: arm === 'twin',
  ...result,
});
