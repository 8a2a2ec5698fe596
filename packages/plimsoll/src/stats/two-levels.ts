import { itemAt } from '../collections/item-at.js';
import { mean as meanOf, sum as sumOf } from '../collections/sum.js';
import { median } from './quantile.js';
import { studentTwoSidedP, whereFallsTo } from './student-t.js';

export interface TwoLevels {
  readonly mean: number;
  /** Of each block, by generation: how far it is from the mean; outliers are pulled in. */
  readonly deviations: readonly (readonly number[])[];
  /** Variance between generations ÷ variance between the blocks of one: at least so large, with 9 chances in 10. */
  readonly between: number;
  readonly df: number;
  /** How far the mean may be from the truth: farther only with probability `alpha`. */
  halfWidth(alpha: number): number;
}

/** Blocks farther than this from the middle, in robust standard deviations, are outliers. */
const HUBER = 1.5;
/** The median absolute deviation of normal values, in standard deviations. */
const MAD = 0.6745;
const STEPS = 20;
const NODES = 16;

/**
 * Estimate a mean from the values of blocks, one at least, in generations of processes.
 *
 * Outliers: Huber's M-estimate, whose pseudo-values go through the analysis of a normal sample (Huber, "Robust statistics", 1981,
 * 7.10). Levels: a generation shifts all of its blocks by a random effect. How large such effects are a few generations hardly tell,
 * so the interval averages over the ratio of the two variances, weighted by the restricted likelihood (REML) and a prior for the
 * shrinkage, as Daniels proposes ("A prior for the variance in hierarchical models", 1999), but not uniform: of density B^(-1/2), with
 * which the intervals of few generations hold. For each ratio it is Student's.
 */
export function fitTwoLevels(generations: readonly (readonly number[])[]): TwoLevels {
  const groups = pseudoValues(generations);
  const blocks = groups.flat();
  const df = blocks.length - 1;
  const fits = fitAll(groups, df);
  const mean = sumOf(fits.map((fit) => fit.weight * fit.mean));
  const scales = fits.map((fit) => Math.hypot(fit.scale, fit.mean - mean));
  const tail = (distance: number): number =>
    sumOf(
      scales.map((scale, index) =>
        scale === 0 ? 0 : itemAt(fits, index).weight * studentTwoSidedP(distance / scale, df),
      ),
    );
  return {
    mean,
    deviations: groups.map((group) => group.map((value) => value - mean)),
    between: leastRatio(fits),
    df,
    halfWidth(alpha) {
      if (df < 1 || alpha <= 0) return Number.POSITIVE_INFINITY;
      const widest = Math.max(...scales);
      return widest === 0 ? 0 : whereFallsTo(alpha, tail, widest, 1e-4);
    },
  };
}

/** The first fits are of the largest ratios. */
function leastRatio(fits: readonly Fit[]): number {
  let weights = 0;
  for (const { weight, ratio } of fits) {
    weights += weight;
    if (weights >= 0.9) return ratio;
  }
  return 0;
}

/** Values whose plain mean is Huber's estimate, and whose spread is that of its error. */
function pseudoValues(generations: readonly (readonly number[])[]): number[][] {
  const values = generations.flat();
  let centre = median(values);
  const scale = (HUBER * median(values.map((value) => Math.abs(value - centre)))) / MAD;
  const pulled = (value: number): number => Math.max(-scale, Math.min(scale, value - centre));
  let inside = 1;
  for (let step = 0; step < STEPS; step++) {
    inside = values.filter((value) => Math.abs(value - centre) <= scale).length / values.length;
    if (scale === 0) return generations.map((blocks) => [...blocks]);
    centre += meanOf(values.map(pulled)) / inside;
  }
  // Huber's correction for few values.
  const stretch = (1 + (1 - inside) / (inside * values.length)) / inside;
  return generations.map((blocks) => blocks.map((value) => centre + stretch * pulled(value)));
}

interface Fit {
  readonly ratio: number;
  readonly mean: number;
  readonly scale: number;
  /** Of all fits together: 1. */
  readonly weight: number;
}

function fitAll(generations: readonly (readonly number[])[], df: number): Fit[] {
  const groups = generations
    .filter((blocks) => blocks.length > 0)
    .map((blocks) => ({ count: blocks.length, mean: meanOf(blocks), squares: squaresOf(blocks) }));
  const within = sumOf(groups.map(({ squares }) => squares));
  const usual = (df + 1) / groups.length;
  const fits = Array.from({ length: NODES }, (_, node) => {
    // Nodes of equal prior weight.
    const root = (node + 0.5) / NODES;
    const ratio = (1 / root ** 2 - 1) / usual;
    const weights = groups.map(({ count }) => count / (1 + count * ratio));
    const all = sumOf(weights);
    const mean = sumOf(groups.map((group, index) => itemAt(weights, index) * group.mean)) / all;
    const squares = groups.reduce(
      (sum, group, index) => sum + itemAt(weights, index) * (group.mean - mean) ** 2,
      within,
    );
    const log =
      -sumOf(groups.map(({ count }) => Math.log1p(count * ratio))) / 2 -
      Math.log(all) / 2 -
      (squares === 0 ? 0 : (df / 2) * Math.log(squares));
    return { ratio, mean, scale: Math.sqrt(squares / Math.max(1, df) / all), log };
  });
  const highest = Math.max(...fits.map(({ log }) => log));
  const total = sumOf(fits.map(({ log }) => Math.exp(log - highest)));
  return fits.map(({ log, ...fit }) => ({ ...fit, weight: Math.exp(log - highest) / total }));
}

function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return sumOf(values.map((value) => (value - mean) ** 2));
}
