import { itemAt } from '../collections/item-at.js';
import { studentCritical, whereFallsTo } from './student-t.js';

/** With fewer generations the variance between them is hardly known, and intervals are of no use. */
export const FIRST_LOOK = 4;

/** Early looks spend almost nothing, so that a trial that goes to its end loses hardly any power: nearly O'Brien and Fleming's. */
const SHAPE = 3;
/** Of the numerical integration: even. */
const STEPS = 120;
/** In standard errors; nothing is ever farther. */
const FARTHEST = 9;

/**
 * At what level to test at each of several looks at growing data, so that all looks together err with probability `alpha`. A
 * group-sequential boundary: at share t of the information α·t³ of the error is spent (Kim & DeMets, 1987), whatever the number of
 * the looks, and what one look may spend comes from the law of a Brownian motion that has crossed no earlier boundary, by recursive
 * numerical integration (Armitage, McPherson & Rowe, 1969). Levels go over to Student's t as they are (Jennison & Turnbull, "Group
 * sequential methods", 2000, 4.4).
 *
 * @param shares of the information at each look, ascending, above 0; 1 at the last that can come.
 * @example
 * lookLevels([0.5, 1], 0.05); // [0.00625, 0.0483]
 */
export function lookLevels(shares: readonly number[], alpha: number): readonly number[] {
  const key = `${shares.join()} ${alpha}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const levels: number[] = [];
  let density: Density = { nodes: [0], masses: [1] };
  let before = 0;
  for (const share of shares) {
    const spread = Math.sqrt(share - before);
    const root = Math.sqrt(share);
    const spent = alpha * (share ** SHAPE - before ** SHAPE);
    const isBeyond = (z: number): number => (z > FARTHEST ? 0 : beyond(density, z * root, spread));
    const critical =
      spread === 0 ? FARTHEST : Math.min(FARTHEST, whereFallsTo(spent, isBeyond, FARTHEST, 1e-7));
    levels.push(spread === 0 ? (levels.at(-1) ?? 0) : 2 * normalTail(critical));
    if (spread > 0) density = move(density, critical * root, spread);
    before = share;
  }
  cache.set(key, levels);
  return levels;
}
const cache = new Map<string, readonly number[]>();

interface Density {
  readonly nodes: readonly number[];
  readonly masses: readonly number[];
}

const beyond = ({ nodes, masses }: Density, limit: number, spread: number): number =>
  nodes.reduce(
    (sum, node, index) =>
      sum +
      itemAt(masses, index) * (normalTail((limit - node) / spread) + normalTail((limit + node) / spread)),
    0,
  );

/** Simpson's rule over all places from −limit to limit. */
function move({ nodes, masses }: Density, limit: number, spread: number): Density {
  const step = (2 * limit) / STEPS;
  const places = Array.from({ length: STEPS + 1 }, (_, index) => -limit + index * step);
  const scale = spread * Math.sqrt(2 * Math.PI);
  return {
    nodes: places,
    masses: places.map((place, index) => {
      const share = index === 0 || index === STEPS ? 1 : index % 2 === 1 ? 4 : 2;
      let height = 0;
      for (let from = 0; from < nodes.length; from++)
        height += itemAt(masses, from) * Math.exp(-(((place - itemAt(nodes, from)) / spread) ** 2) / 2);
      return ((share * step) / 3) * (height / scale);
    }),
  };
}

/** P(Z > z) for a standard normal Z, to about 1e-7 of itself (Numerical Recipes 6.2). */
function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const series = COEFFICIENTS.reduceRight((sum, coefficient) => coefficient + t * sum, 0);
  const tail = (t * Math.exp(-x * x + series)) / 2;
  return z < 0 ? 1 - tail : tail;
}
const COEFFICIENTS = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
  -0.82215223, 0.17087277,
];

export const evenLooks = (count: number, most: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.min(1, (index + 1) / most));

/**
 * How far a mean of `k` observations may be from the truth, in standard errors: with probability `level` it is never farther, at any
 * of the looks from `FIRST_LOOK` on, one after each observation, to `most`.
 */
export function lookBoundary(most: number, level: number): (k: number) => number {
  if (most < FIRST_LOOK) throw new RangeError(`a look needs ${FIRST_LOOK} observations, not ${most}`);
  const levels = lookLevels(evenLooks(most, most).slice(FIRST_LOOK - 1), 1 - level);
  return (k) =>
    k < FIRST_LOOK
      ? Number.POSITIVE_INFINITY
      : studentCritical(itemAt(levels, Math.min(k, most) - FIRST_LOOK), k - 1);
}
