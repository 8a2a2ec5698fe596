import { lowerBound } from '../collections/lower-bound.js';
import { median } from '../stats/quantile.js';
import type { CommandRun, Objective, Sample } from './plan.js';
import type { Arm, Window } from './window.js';

type Table = ReadonlyMap<Arm, ReadonlyMap<number, number>>;

/**
 * What each arm cost in each block: above 0, lower is better. Ratios of costs are ratios of latencies or of wall time; of
 * requests per second the inverse.
 */
export interface Costs {
  readonly of: Table;
  /** So many blocks were taken together, where one has too few requests to tell. */
  readonly blocksEach: number;
}

/** A 99th percentile of fewer requests is their maximum. */
export const LEAST_FOR_P99 = 200;
/** Routes beyond these share one place: with a handful of requests each there is nothing to weigh. */
const MOST_ROUTES = 24;
const LEAST_SHARE = 0.005;

export const isWindow = (sample: Sample): sample is Window => 'routes' in sample;

/** The costs of all samples that are compared. */
export function costsOf(samples: readonly Sample[], objective: Objective): Costs {
  const compared = samples.filter(({ disturbed }) => !disturbed);
  const windows = compared.filter(isWindow);
  const each = (of: Table): Costs => ({ of, blocksEach: 1 });
  if (windows.length === 0) return each(tableOf(compared as CommandRun[], ({ wallMs }) => wallMs));
  if (objective === 'throughput')
    return each(tableOf(windows, (window) => window.seconds / Math.max(answered(window), 0.5)));
  if (objective === 'mean') return each(meanCosts(windows.filter(hasRequests)));
  return p99Costs(windows.filter((window) => hasLatencies(window) && !isCutShort(window)));
}

const hasLatencies = (window: Window): boolean => totalsOf(window).size > 0;

const hasRequests = (window: Window): boolean => hasLatencies(window) || window.unfinished > 0;

/** Requests of the span that got a good answer. */
export const answered = ({ completed, failed }: Window): number => Math.max(0, completed - failed);

/** On average, by Little's law. */
export const requestsUnderWay = (window: Window): number =>
  [...totalsOf(window).values()].reduce((sum, total) => sum + total.sum, 0) / 1000 / window.seconds;

function tableOf<One extends Sample>(samples: readonly One[], cost: (sample: One) => number): Table {
  const table = new Map<Arm, Map<number, number>>();
  for (const sample of samples) {
    const ofArm = table.get(sample.arm) ?? new Map<number, number>();
    table.set(sample.arm, ofArm.set(sample.block, cost(sample)));
  }
  return table;
}

/** How many requests there were, and what they took together. */
interface Total {
  count: number;
  sum: number;
}

const totalsKnown = new WeakMap<Window, ReadonlyMap<string, Total>>();

/** By route; a window is added up once, however often it is looked at. */
export function totalsOf(window: Window): ReadonlyMap<string, Total> {
  const known = totalsKnown.get(window);
  if (known !== undefined) return known;
  const totals = new Map<string, Total>();
  for (const [route, latencies] of window.routes)
    if (latencies.length > 0)
      totals.set(route, {
        count: latencies.length,
        sum: latencies.reduce((sum, latency) => sum + latency, 0),
      });
  totalsKnown.set(window, totals);
  return totals;
}

/** Routes by their share of all requests, the largest first; what is rare has no place of its own. */
export function sharesOf(windows: readonly Window[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const window of windows)
    for (const [route, { count }] of totalsOf(window)) counts.set(route, (counts.get(route) ?? 0) + count);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return new Map(
    [...counts]
      .map(([route, count]): [string, number] => [route, count / all])
      .toSorted(([, a], [, b]) => b - a),
  );
}

/** A layer of requests that are alike, with its share of all. */
interface Layer {
  readonly has: (route: string) => boolean;
  readonly share: number;
}

function layersOf(windows: readonly Window[]): Layer[] {
  const shares = [...sharesOf(windows)];
  const large = shares.slice(0, MOST_ROUTES).filter(([, share]) => share >= LEAST_SHARE);
  const names = new Set(large.map(([route]) => route));
  const rest = 1 - large.reduce((sum, [, share]) => sum + share, 0);
  return [
    ...large.map(([name, share]): Layer => ({ has: (route) => route === name, share })),
    ...(names.size === shares.length ? [] : [{ has: (route: string) => !names.has(route), share: rest }]),
  ];
}

/**
 * Means of routes, each weighted by its share of the whole run: clients that wait for their answers send more of the quick ones
 * while the slow ones take longer, and a changed mix is not a changed latency. A route that a window has none of counts with
 * its mean at that size. The mean event-loop delay is added: a latency begins when the loop takes the request up, and a size
 * whose threads keep the loop from its core would look fast.
 */
function meanCosts(windows: readonly Window[]): Table {
  const layers = layersOf(windows);
  const fallback = new Map<Arm, number[]>();
  for (const arm of new Set(windows.map((window) => window.arm)))
    fallback.set(
      arm,
      layers.map((layer) => {
        const own = windows.filter((window) => window.arm === arm);
        return meanOf(own, layer) ?? meanOf(windows, layer) ?? 0;
      }),
    );
  const underWay = usuallyUnderWay(windows);
  return tableOf(windows, (window) => {
    const mean = layers.reduce(
      (sum, layer, index) =>
        sum + layer.share * (meanOf([window], layer) ?? (fallback.get(window.arm)?.[index] as number)),
      window.loopDelayMs.mean,
    );
    // The long ones are missing. By Little's law so many clients wait for so long.
    return isCutShort(window)
      ? Math.max(mean, (1000 * underWay * window.seconds) / Math.max(answered(window), 0.5))
      : mean;
  });
}

const MOST_UNFINISHED = 0.05;

/** Too many requests of it had not ended when the draining gave up: its latencies are those of the short ones. */
export const isCutShort = (window: Window): boolean =>
  window.unfinished > MOST_UNFINISHED * (countOf(window) + window.unfinished);

function usuallyUnderWay(windows: readonly Window[]): number {
  const whole = windows.filter((window) => !isCutShort(window));
  return whole.length === 0 ? 1 : median(whole.map(requestsUnderWay));
}

/** The mean latency at one size, by the same weights; `null` where the long ones are missing. */
export function meanLatency(ofSize: readonly Window[], all: readonly Window[]): number | null {
  const own = ofSize.filter((window) => hasLatencies(window) && !isCutShort(window));
  const layers = layersOf(all.filter(hasLatencies));
  if (own.length === 0) return null;
  const known = layers.flatMap((layer) => {
    const mean = meanOf(own, layer);
    return mean === null ? [] : [{ mean, share: layer.share }];
  });
  const share = known.reduce((sum, layer) => sum + layer.share, 0);
  const delay = own.reduce((sum, { loopDelayMs }) => sum + loopDelayMs.mean, 0) / own.length;
  return known.reduce((sum, layer) => sum + (layer.mean * layer.share) / share, delay);
}

/** A quantile of the latencies at one size, by the same weights; `null` with fewer requests than `least`. */
export function latencyQuantile(
  ofSize: readonly Window[],
  all: readonly Window[],
  q: number,
  least: number,
): number | null {
  const own = ofSize.filter((window) => hasLatencies(window) && !isCutShort(window));
  const count = own.reduce((sum, window) => sum + countOf(window), 0);
  return count < least ? null : weightedQuantile(own, layersOf(all.filter(hasLatencies)), q);
}

function meanOf(windows: readonly Window[], { has }: Layer): number | null {
  let count = 0;
  let sum = 0;
  for (const window of windows)
    for (const [route, total] of totalsOf(window))
      if (has(route)) {
        count += total.count;
        sum += total.sum;
      }
  return count === 0 ? null : sum / count;
}

/** The 99th percentile of groups of blocks that hold enough requests, weighted in the same way. */
function p99Costs(windows: readonly Window[]): Costs {
  if (windows.length === 0) return { of: new Map(), blocksEach: 1 };
  const layers = layersOf(windows);
  const usual = median(windows.map(countOf));
  const blocks = Math.max(1, Math.ceil(LEAST_FOR_P99 / usual));
  const groups = new Map<Arm, Map<number, Window[]>>();
  for (const window of windows) {
    const ofArm = groups.get(window.arm) ?? new Map<number, Window[]>();
    const group = Math.floor(window.block / blocks);
    groups.set(window.arm, ofArm.set(group, [...(ofArm.get(group) ?? []), window]));
  }
  const isEnough = (group: readonly Window[]): boolean =>
    group.reduce((sum, window) => sum + countOf(window), 0) >= 0.75 * LEAST_FOR_P99;
  const p99s = (ofArm: ReadonlyMap<number, Window[]>): Map<number, number> =>
    new Map(
      [...ofArm]
        .filter(([, group]) => isEnough(group))
        .map(([index, group]) => [index, weightedQuantile(group, layers, 0.99)]),
    );
  return { of: new Map([...groups].map(([arm, ofArm]) => [arm, p99s(ofArm)])), blocksEach: blocks };
}

const countOf = (window: Window): number =>
  [...totalsOf(window).values()].reduce((sum, { count }) => sum + count, 0);

const sortedKnown = new WeakMap<Window, ReadonlyMap<string, Float64Array>>();

function sortedOf(window: Window): ReadonlyMap<string, Float64Array> {
  const known = sortedKnown.get(window);
  if (known !== undefined) return known;
  const sorted = new Map(
    [...window.routes].map(([route, latencies]) => [route, Float64Array.from(latencies).sort()]),
  );
  sortedKnown.set(window, sorted);
  return sorted;
}

const PRECISION = 1e-4;

/** Where a share `q` of the requests lies below, each layer with its share; by halving, since the lists are sorted already. */
function weightedQuantile(windows: readonly Window[], layers: readonly Layer[], q: number): number {
  const lists = layers
    .map(({ has, share }) => {
      const own = windows.flatMap((window) =>
        [...sortedOf(window)].filter(([route]) => has(route)).map(([, list]) => list),
      );
      return { share, own, count: own.reduce((sum, { length }) => sum + length, 0) };
    })
    .filter(({ count }) => count > 0);
  const all = lists.reduce((sum, { share }) => sum + share, 0);
  const below = (value: number): number =>
    lists.reduce(
      (sum, { share, own, count }) =>
        sum +
        (share / all) *
          (own.reduce((ranks, list) => ranks + lowerBound(list, (latency) => latency <= value), 0) / count),
      0,
    );
  let low = 0;
  let high = Math.max(...lists.flatMap(({ own }) => own.map((list) => list.at(-1) ?? 0)));
  while (high - low > PRECISION * high) {
    const middle = (low + high) / 2;
    if (below(middle) < q) low = middle;
    else high = middle;
  }
  return high;
}
