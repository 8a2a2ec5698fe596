import { itemAt } from '../collections/item-at.js';
import { mean } from '../collections/sum.js';
import { createRandom, type Random } from './random.js';

export interface Odds {
  readonly probabilityOfBest: number;
  /** By which share it is expected to be slower than the best. */
  readonly expectedLoss: number;
  /** The chance that it is more than 5 % slower than the best. */
  readonly chanceSlower: number;
  /** The chance that it is at most 2 % slower than the best. */
  readonly chanceAccepted: number;
  /** The chance that it is more than 10 % slower than the best. */
  readonly chanceHopeless: number;
}

/** A size may be expected to cost so much more time than the best one and still be recommended, if it is smaller. */
export const ACCEPTED_LOSS = 0.02;
/** Slower than the best by more than this is a wrong recommendation. */
const WRONG_BEYOND = Math.log1p(0.05);
/** Nobody would take what is slower by more than this. */
const HOPELESS_BEYOND = Math.log1p(0.1);
const DRAWS = 2000;
/** The mean of a ratio whose logarithm is Student's does not exist: nothing counts as more than ten times as slow. */
const MOST_LOSS = Math.log(10);
/** Above so many degrees of freedom Fisher's approximation of chi squared is as good. */
const MANY = 40;

export interface Estimated {
  readonly centre: number;
  readonly error: number;
  /** Of each observation from the centre, in the same order for all contestants; 0 where it has none. */
  readonly deviations: readonly number[];
}

/**
 * What the contestants' true times may be: draws from the multivariate t that a normal sample with an unknown covariance leaves
 * (Gelman and others, "Bayesian data analysis", 3.6). What contestants have in common in their observations stays in common.
 */
export function estimatedOdds<Id>(
  contestants: ReadonlyMap<Id, Estimated>,
  df: number,
  seed: number,
): Map<Id, Odds> {
  const all = [...contestants.values()];
  const random = createRandom(seed);
  const factor = triangle(all);
  const losses = all.map(() => new Array<number>(DRAWS).fill(0));
  const normals = new Float64Array(all.length);
  for (let draw = 0; draw < DRAWS; draw++) {
    for (let index = 0; index < all.length; index++) normals[index] = random.normal();
    const scale = Math.sqrt(df / chiSquared(df, random));
    let lowest = Infinity;
    for (let index = 0; index < all.length; index++) {
      const time = itemAt(all, index).centre + scale * dot(itemAt(factor, index), normals);
      itemAt(losses, index)[draw] = time;
      lowest = Math.min(lowest, time);
    }
    for (const draws of losses) draws[draw] = itemAt(draws, draw) - lowest;
  }
  return new Map([...contestants.keys()].map((id, index) => [id, oddsOf(itemAt(losses, index))]));
}

/** The same from plain samples: of each contestant one log time for each of two and more observations, all in the same order. */
export function posteriorOdds<Id>(logs: ReadonlyMap<Id, readonly number[]>, seed: number): Map<Id, Odds> {
  const [first = []] = logs.values();
  const df = Math.max(1, first.length - 1);
  const contestants = [...logs].map(([id, values]): [Id, Estimated] => {
    const centre = mean(values);
    const deviations = values.map((value) => value - centre);
    return [id, { centre, deviations, error: Math.sqrt(dot(deviations, deviations) / df / values.length) }];
  });
  return estimatedOdds(new Map(contestants), df, seed);
}

/** Cholesky's factor of the covariance of the errors: row by row, its lower triangle. */
function triangle(all: readonly Estimated[]): number[][] {
  const lengths = all.map(({ deviations }) => Math.sqrt(dot(deviations, deviations)));
  const rows: number[][] = [];
  for (const [index, { error, deviations }] of all.entries()) {
    const row: number[] = [];
    for (let column = 0; column < index; column++) {
      const before = itemAt(all, column);
      const length = itemAt(lengths, index) * itemAt(lengths, column);
      const covariance =
        length === 0 ? 0 : (error * before.error * dot(deviations, before.deviations)) / length;
      const pivot = itemAt(itemAt(rows, column), column);
      row.push(pivot === 0 ? 0 : (covariance - dot(row, itemAt(rows, column))) / pivot);
    }
    row.push(Math.sqrt(Math.max(0, error ** 2 - dot(row, row))));
    rows.push(row);
  }
  return rows;
}

function dot(values: readonly number[], by: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += itemAt(values, index) * (by[index] ?? 0);
  return sum;
}

/** Two degrees of freedom are an exponential variable; one that is left over is a square of a normal one. */
function chiSquared(df: number, random: Random): number {
  if (df > MANY) return (Math.sqrt(2 * df - 1) + random.normal()) ** 2 / 2;
  let product = df % 2 === 1 ? Math.exp(-(random.normal() ** 2) / 2) : 1;
  for (let pair = 0; pair < Math.floor(df / 2); pair++) product *= 1 - random.next();
  return -2 * Math.log(product);
}

function oddsOf(losses: readonly number[]): Odds {
  const accepted = Math.log1p(ACCEPTED_LOSS);
  const share = (is: (loss: number) => boolean): number => losses.filter(is).length / DRAWS;
  return {
    probabilityOfBest: share((loss) => loss === 0),
    expectedLoss: losses.reduce((sum, loss) => sum + Math.expm1(Math.min(loss, MOST_LOSS)), 0) / DRAWS,
    chanceSlower: share((loss) => loss > WRONG_BEYOND),
    chanceAccepted: share((loss) => loss <= accepted),
    chanceHopeless: share((loss) => loss > HOPELESS_BEYOND),
  };
}
