import { grouped } from '../collections/grouped.js';
import type { TunedRoute } from '../results/tune.js';
import { exponential, meanInterval } from '../stats/intervals.js';
import { studentCritical } from '../stats/student-t.js';
import { isCutShort, sharesOf, type Total, totalsOf } from './costs.js';
import type { Window } from './sample.js';

const MOST_ROUTES = 50;
const LEAST_REQUESTS = 20;
const LEAST_BLOCKS = 4;
/** Who sends such a request notices. */
const SLOWER_BEYOND = 0.1;
/** What is hardly chance: with one true difference in five it is missed. */
const CHANCE = 0.2;

export function routesOf(size: number, baseline: number, compared: readonly Window[]): TunedRoute[] {
  const whole = compared.filter((window) => !isCutShort(window));
  const of = (one: number): Window[] => whole.filter((window) => window.size === one);
  const [ofSize, ofBaseline] = [of(size), of(baseline)];
  return [...sharesOf(whole).keys()].slice(0, MOST_ROUTES).flatMap((route) => {
    const { count, sum } = totalOf(ofSize, route);
    if (count === 0) return [];
    const change = size === baseline ? UNCHANGED : against(route, ofSize, ofBaseline);
    return [{ route, requests: count, meanMs: sum / count, ...change }];
  });
}

const UNCHANGED = { ratio: 1, slower: 'no' } as const;
const UNKNOWN = { ratio: null, slower: 'no' } as const;
const NOTHING: Total = { count: 0, sum: 0 };

const added = (a: Total, b: Total): Total => ({ count: a.count + b.count, sum: a.sum + b.sum });

const totalOf = (windows: readonly Window[], route: string): Total =>
  windows.map((window) => totalsOf(window).get(route) ?? NOTHING).reduce(added, NOTHING);

type Change = Pick<TunedRoute, 'ratio' | 'slower'>;

/**
 * The ratio of the means over the blocks that both have. A route may have one request in a block, whose logarithm says little:
 * so blocks are left out in turn instead (jackknife), which gives the spread of the whole ratio.
 */
function against(route: string, ofSize: readonly Window[], ofBaseline: readonly Window[]): Change {
  const reference = grouped(ofBaseline, ({ block }) => block);
  const pairs = [...grouped(ofSize, ({ block }) => block)].flatMap(([block, own]) => {
    const pair = [totalOf(own, route), totalOf(reference.get(block) ?? [], route)] as const;
    return !reference.has(block) || pair[0].count + pair[1].count === 0 ? [] : [pair];
  });
  const side = (of: typeof pairs, index: 0 | 1): Total =>
    of.map((pair) => pair[index]).reduce(added, NOTHING);
  const logRatio = (of: typeof pairs): number => {
    const [own, base] = [side(of, 0), side(of, 1)];
    return Math.log(own.sum / own.count / (base.sum / base.count));
  };
  const least = Math.min(side(pairs, 0).count, side(pairs, 1).count);
  if (pairs.length < LEAST_BLOCKS || least < LEAST_REQUESTS) return UNKNOWN;
  const whole = logRatio(pairs);
  const pseudo = pairs.map(
    (_, index) => pairs.length * whole - (pairs.length - 1) * logRatio(pairs.filter((_, at) => at !== index)),
  );
  const ratio = Math.exp(whole);
  if (!pseudo.every(Number.isFinite) || ratio <= 1 + SLOWER_BEYOND) return { ratio, slower: 'no' };
  const { low } = exponential(meanInterval(pseudo, studentCritical(CHANCE, pairs.length - 1)));
  return { ratio, slower: low > 1 ? 'yes' : 'maybe' };
}
