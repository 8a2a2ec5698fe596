import { PlimsollError } from '../errors.js';
import { type AlternatingRound, pairedGenerations } from '../lab/alternating.js';
import type { LoadCell, LoadRound, LoadTable } from '../results/load.js';
import { compareGenerations, type GenerationsResult, type SizeComparison } from '../stats/generations.js';
import type { RatioInterval } from '../stats/mean-interval.js';
import { median } from '../stats/quantile.js';
import type { Summary } from '../stats/summary.js';
import type { MeasuredTable } from './measured-table.js';
import { describeTraffic } from './method.js';
import { AS_IT_IS, type LoadCase, type LoadPlan, type LoadTarget, type Table } from './options.js';
import { type RankedTable, recommend } from './recommend.js';
import type { LoadMeasurement } from './slice.js';

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

type Round = AlternatingRound<LoadMeasurement>;
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
  { table, outcome, slices }: Pick<MeasuredTable, 'table' | 'outcome' | 'slices'>,
  { sizes, baseline, seed }: Pick<LoadPlan, 'sizes' | 'baseline' | 'seed'>,
): Known {
  const { rounds, lost } = outcome;
  const failing = new Set(
    rounds.filter(({ result }) => result.errors > 0).map(({ arm }) => (arm === 'twin' ? baseline : arm)),
  );
  const isHopeless = failing.has(baseline);
  // Where requests fail at the baseline too, the size is not what makes them fail.
  const ids = sizes.filter((size) => !lost.has(size) && (isHopeless || !failing.has(size)));
  const time = (result: LoadMeasurement): number => timeOf(result, table.traffic);
  const generations = pairedGenerations(rounds, ids, baseline).map(
    (generation) =>
      new Map(
        [...generation].map(([arm, { own, baseline, twin }]) => [
          arm,
          {
            times: own.map(time),
            baselineTimes: baseline.map(time),
            twinTimes: twin.map(time),
            delays: own.map(({ bystanderMs }) => bystanderMs?.p99 ?? 0),
          },
        ]),
      ),
  );
  const { mostGenerations } = slices;
  const plan = { ids, baseline, mostGenerations, seed };
  return {
    result: generations.length === 0 ? null : compareGenerations(generations, plan),
    generations: generations.length,
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
  { table, isolated, slices, groups, outcome, seconds }: MeasuredTable,
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
      looks: outcome.looks,
      groups: groups.map((group) => [...group]),
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
  readonly rounds: readonly Round[];
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

const loadRound = ({ generation, block, order, group, arm, result }: Round): LoadRound => ({
  generation,
  block,
  order,
  group,
  twin: arm === 'twin',
  ...result,
});
