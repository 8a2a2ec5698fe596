import { grouped } from '../collections/grouped.js';
import { lowerBound } from '../collections/lower-bound.js';
import { mean, sum } from '../collections/sum.js';
import { median } from '../stats/quantile.js';
import {
  type Arm,
  answeredIn,
  type CommandRun,
  comparedWindows,
  type Objective,
  type Sample,
  secondsOf,
  type Window,
} from './sample.js';

/** One number for each arm in each block: a cost, or its logarithm. */
type BlockValues = ReadonlyMap<Arm, ReadonlyMap<number, number>>;

/** What each arm cost in each block, above 0; lower is better: of requests per second it is the inverse. */
export interface Costs {
  readonly of: BlockValues;
  /** So many blocks were taken together, where one has too few requests to tell. */
  readonly blocksEach: number;
}

/** A 99th percentile of fewer requests is their maximum. */
const LEAST_FOR_P99 = 200;
/** Rarer routes are one layer: a route that a window has none of counts with its mean, which makes blocks look alike if most do. */
const MOST_ROUTES = 24;
const LEAST_SHARE = 0.005;

export function costsOf(samples: readonly Sample[], objective: Objective): Costs {
  const compared = samples.filter(({ disturbed }) => !disturbed);
  const windows = comparedWindows(compared);
  const each = (of: BlockValues): Costs => ({ of, blocksEach: 1 });
  if (windows.length === 0) return each(tableOf(compared as CommandRun[], ({ wallMs }) => wallMs));
  if (objective === 'throughput') return each(tableOf(windows, secondsEach));
  if (objective === 'mean')
    return each(meanCosts(windows.filter((window) => hasLatencies(window) || window.unfinished > 0)));
  return p99Costs(windows.filter(isWhole));
}

/** Of one request, at the rate at which requests were answered. */
const secondsEach = (window: Window): number => secondsOf(window) / Math.max(answeredIn(window), 0.5);

const hasLatencies = (window: Window): boolean => totalsOf(window).size > 0;

const isWhole = (window: Window): boolean => hasLatencies(window) && !isCutShort(window);

/** On average, by Little's law. */
export const requestsUnderWay = (window: Window): number =>
  sum([...totalsOf(window).values()].map((total) => total.sum)) / 1000 / window.seconds;

function tableOf<One extends Sample>(samples: readonly One[], cost: (sample: One) => number): BlockValues {
  const arms = [...grouped(samples, ({ arm }) => arm)];
  return new Map(arms.map(([arm, own]) => [arm, new Map(own.map((one) => [one.block, cost(one)]))]));
}

export type Total = Readonly<{ count: number; sum: number }>;

/** Windows are looked at after every block anew. */
function once<Figures extends object>(find: (window: Window) => Figures): (window: Window) => Figures {
  const found = new WeakMap<Window, Figures>();
  return (window) => {
    const figures = found.get(window) ?? find(window);
    found.set(window, figures);
    return figures;
  };
}

export const totalsOf = once(
  ({ routes }): ReadonlyMap<string, Total> =>
    new Map([...routes].map(([route, all]) => [route, { count: all.length, sum: sum(all) }])),
);

const sortedOf = once(
  ({ routes }): ReadonlyMap<string, Float64Array> =>
    new Map([...routes].map(([route, latencies]) => [route, Float64Array.from(latencies).sort()])),
);

export const countOf = (window: Window): number =>
  sum([...totalsOf(window).values()].map(({ count }) => count));

/** Routes by their share of all requests, the largest first. */
export function sharesOf(windows: readonly Window[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const window of windows)
    for (const [route, { count }] of totalsOf(window)) counts.set(route, (counts.get(route) ?? 0) + count);
  const all = sum([...counts.values()]);
  const ascending = [...counts].toSorted(([, a], [, b]) => b - a);
  return new Map(ascending.map(([route, count]) => [route, count / all]));
}

type Layer = Readonly<{ has: (route: string) => boolean; share: number }>;

/** A layer for each route, and one for all rare routes together. */
function layersOf(windows: readonly Window[]): Layer[] {
  const shares = [...sharesOf(windows)];
  const large = shares.slice(0, MOST_ROUTES).filter(([, share]) => share >= LEAST_SHARE);
  const layers = large.map(([name, share]): Layer => ({ has: (route) => route === name, share }));
  if (large.length === shares.length) return layers;
  const names = new Set(large.map(([route]) => route));
  return [...layers, { has: (route) => !names.has(route), share: 1 - sum(large.map(([, share]) => share)) }];
}

/**
 * Means of routes, each weighted by its share of the whole run: clients that wait for their answers send more of the quick ones
 * while the slow ones take longer, and a changed mix is not a changed latency. A route that a window has none of counts with
 * its mean at that size. The mean event-loop delay is added: a latency begins when the loop takes the request up, and a size
 * whose threads keep the loop from its core would look fast.
 */
function meanCosts(windows: readonly Window[]): BlockValues {
  const layers = layersOf(windows);
  const fallback = new Map(
    [...grouped(windows, ({ arm }) => arm)].map(([arm, own]) => [
      arm,
      layers.map((layer) => meanOf(own, layer) ?? meanOf(windows, layer) ?? 0),
    ]),
  );
  const whole = windows.filter((window) => !isCutShort(window));
  const underWay = whole.length === 0 ? 1 : median(whole.map(requestsUnderWay));
  return tableOf(windows, (window) => {
    const usual = fallback.get(window.arm) as number[];
    const parts = layers.map(
      (layer, index) => layer.share * (meanOf([window], layer) ?? (usual[index] as number)),
    );
    const cost = window.loopDelayMs.mean + sum(parts);
    // The long requests are missing. By Little's law so many clients wait for so long.
    return isCutShort(window) ? Math.max(cost, 1000 * underWay * secondsEach(window)) : cost;
  });
}

const MOST_UNFINISHED = 0.05;

/** Too many requests of it had not ended when the draining gave up: its latencies are those of the short ones. */
export const isCutShort = (window: Window): boolean =>
  window.unfinished > MOST_UNFINISHED * (countOf(window) + window.unfinished);

export function latencyP99(ofSize: readonly Window[], windows: readonly Window[]): number | null {
  const own = ofSize.filter(isWhole);
  if (sum(own.map(countOf)) < LEAST_FOR_P99) return null;
  return weightedQuantile(own, layersOf(windows.filter(hasLatencies)), 0.99);
}

function meanOf(windows: readonly Window[], { has }: Layer): number | null {
  const totals = windows.flatMap((window) => [...totalsOf(window)]).filter(([route]) => has(route));
  const count = sum(totals.map(([, total]) => total.count));
  return count === 0 ? null : sum(totals.map(([, total]) => total.sum)) / count;
}

function p99Costs(windows: readonly Window[]): Costs {
  if (windows.length === 0) return { of: new Map(), blocksEach: 1 };
  const layers = layersOf(windows);
  const blocks = Math.max(1, Math.ceil(LEAST_FOR_P99 / median(windows.map(countOf))));
  const isEnough = (group: readonly Window[]): boolean => sum(group.map(countOf)) >= 0.75 * LEAST_FOR_P99;
  const p99s = (ofArm: readonly Window[]): Map<number, number> =>
    new Map(
      [...grouped(ofArm, ({ block }) => Math.floor(block / blocks))]
        .filter(([, group]) => isEnough(group))
        .map(([index, group]) => [index, weightedQuantile(group, layers, 0.99)]),
    );
  const arms = [...grouped(windows, ({ arm }) => arm)];
  return { of: new Map(arms.map(([arm, ofArm]) => [arm, p99s(ofArm)])), blocksEach: blocks };
}

const PRECISION = 1e-4;

/** Where a share `q` of the requests lies below, each layer with its share; by halving, since the lists are sorted already. */
function weightedQuantile(windows: readonly Window[], layers: readonly Layer[], q: number): number {
  const sorted = windows.flatMap((window) => [...sortedOf(window)]);
  const lists = layers
    .map(({ has, share }) => {
      const own = sorted.flatMap(([route, list]) => (has(route) ? [list] : []));
      return { share, own, count: sum(own.map(({ length }) => length)) };
    })
    .filter(({ count }) => count > 0);
  const all = sum(lists.map(({ share }) => share));
  const below = (value: number): number => {
    const rankIn = (list: Float64Array): number => lowerBound(list, (latency) => latency <= value);
    return sum(lists.map(({ share, own, count }) => (share / all) * (sum(own.map(rankIn)) / count)));
  };
  let low = 0;
  let high = Math.max(...lists.flatMap(({ own }) => own.map((list) => list.at(-1) ?? 0)));
  while (high - low > PRECISION * high) {
    const middle = (low + high) / 2;
    if (below(middle) < q) low = middle;
    else high = middle;
  }
  return high;
}

/** Logarithms make ratios differences, and a factor weighs as much as its inverse. */
export function logCosts(samples: readonly Sample[], objective: Objective): Costs {
  const { of, blocksEach } = costsOf(samples, objective);
  const logs = (costs: ReadonlyMap<number, number>): Map<number, number> =>
    new Map([...costs].map(([block, cost]) => [block, Math.log(cost)]));
  return { of: new Map([...of].map(([arm, costs]) => [arm, logs(costs)])), blocksEach };
}

export const differences = (
  values: BlockValues,
  arm: Arm,
  reference: (block: number) => number | undefined,
): number[] =>
  [...(values.get(arm) ?? [])].flatMap(([block, value]) => {
    const base = reference(block);
    return base === undefined ? [] : [value - base];
  });

/** The baseline takes two turns in every block: their mean is less noisy than either. */
export const bothTurns =
  (values: BlockValues, baseline: number) =>
  (block: number): number | undefined => {
    const turns = [values.get(baseline)?.get(block), values.get('twin')?.get(block)];
    const known = turns.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : mean(known);
  };
