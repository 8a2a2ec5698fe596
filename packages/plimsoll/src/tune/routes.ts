import type { TunedRoute } from '../results/tune.js';
import { exponential, meanInterval } from '../stats/intervals.js';
import { studentCritical } from '../stats/student-t.js';
import { sharesOf, totalsOf } from './costs.js';
import type { Window } from './window.js';

/** A table of more is not read. */
const MOST_ROUTES = 50;
const LEAST_REQUESTS = 20;
const LEAST_BLOCKS = 4;
/** Who sends such a request notices. */
const SLOWER_BEYOND = 0.1;
/** What is hardly chance: with one true difference in five it is missed. */
const CHANCE = 0.2;

interface Sums {
  readonly count: number;
  readonly sum: number;
}

/** How each route fares at a size, against the baseline and its twin in the same blocks. */
export function routesOf(
  ofSize: readonly Window[],
  ofBaseline: readonly Window[],
  all: readonly Window[],
): TunedRoute[] {
  const names = [...sharesOf(all).keys()].slice(0, MOST_ROUTES);
  return names.flatMap((route) => {
    const own = ofSize.map((window) => sumsOf(window, route)).reduce(added, NOTHING);
    if (own.count === 0) return [];
    const isBaseline = ofSize.every((window) => ofBaseline.includes(window));
    return [
      {
        route,
        requests: own.count,
        meanMs: own.sum / own.count,
        ...(isBaseline ? UNCHANGED : against(route, ofSize, ofBaseline)),
      },
    ];
  });
}

const UNCHANGED = { ratio: 1, slower: 'no' } as const;
const UNKNOWN = { ratio: null, slower: 'no' } as const;
const NOTHING: Sums = { count: 0, sum: 0 };

const sumsOf = (window: Window, route: string): Sums => totalsOf(window).get(route) ?? NOTHING;

const added = (a: Sums, b: Sums): Sums => ({ count: a.count + b.count, sum: a.sum + b.sum });

/**
 * The ratio of the means over the blocks that both have. A route may have one request in a block, whose logarithm says little:
 * so blocks are left out in turn instead (jackknife), which gives the spread of the whole ratio.
 */
function against(
  route: string,
  ofSize: readonly Window[],
  ofBaseline: readonly Window[],
): Pick<TunedRoute, 'ratio' | 'slower'> {
  const byBlock = (windows: readonly Window[]): Map<number, Sums> => {
    const blocks = new Map<number, Sums>();
    for (const window of windows)
      blocks.set(window.block, added(blocks.get(window.block) ?? NOTHING, sumsOf(window, route)));
    return blocks;
  };
  const [own, reference] = [byBlock(ofSize), byBlock(ofBaseline)];
  const pairs = [...own].flatMap(([block, sums]) => {
    const other = reference.get(block);
    return other === undefined || sums.count + other.count === 0 ? [] : [{ own: sums, reference: other }];
  });
  const logRatio = (of: typeof pairs): number => {
    const ours = of.map((pair) => pair.own).reduce(added, NOTHING);
    const theirs = of.map((pair) => pair.reference).reduce(added, NOTHING);
    return Math.log(ours.sum / ours.count / (theirs.sum / theirs.count));
  };
  const counts = [pairs.map((pair) => pair.own), pairs.map((pair) => pair.reference)].map(
    (side) => side.reduce(added, NOTHING).count,
  );
  if (pairs.length < LEAST_BLOCKS || counts.some((count) => count < LEAST_REQUESTS)) return UNKNOWN;
  const whole = logRatio(pairs);
  const pseudo = pairs.map(
    (_, index) => pairs.length * whole - (pairs.length - 1) * logRatio(pairs.filter((_, at) => at !== index)),
  );
  const ratio = Math.exp(whole);
  if (!pseudo.every(Number.isFinite) || ratio <= 1 + SLOWER_BEYOND) return { ratio, slower: 'no' };
  const { low } = exponential(meanInterval(pseudo, studentCritical(CHANCE, pairs.length - 1)));
  return { ratio, slower: low > 1 ? 'yes' : 'maybe' };
}
