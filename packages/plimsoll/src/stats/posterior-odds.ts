import { itemAt } from '../collections/item-at.js';
import { createRandom, type Random } from './random.js';

/** What may be said of a contestant's true time against the best one's. */
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
const WRONG_BEYOND = 0.05;
/** Nobody would take what is slower by more than this. */
const HOPELESS_BEYOND = 0.1;
const DRAWS = 2000;

/**
 * What the contestants' true times may be: draws from the multivariate t that a normal sample with an unknown covariance leaves
 * (Gelman and others, "Bayesian data analysis", 3.6).
 *
 * @param logs of each contestant one log time for each generation, all in the same order.
 * @example
 * posteriorOdds(new Map([[4, [0, 0, 0, 0]], [8, [-0.5, -0.51, -0.49, -0.5]]]), 1).get(8)?.probabilityOfBest; // 1
 */
export function posteriorOdds<Id>(logs: ReadonlyMap<Id, readonly number[]>, seed: number): Map<Id, Odds> {
  const columns = [...logs.values()].map((values) => {
    const centre = values.reduce((sum, value) => sum + value, 0) / values.length;
    return { centre, deviations: values.map((value) => value - centre), losses: new Float64Array(DRAWS) };
  });
  const count = columns[0]?.deviations.length ?? 0;
  const df = Math.max(1, count - 1);
  const random = createRandom(seed);
  // One weight a generation for all contestants, so that what they have in common stays in common.
  const weights = new Float64Array(count);
  const drawn = new Float64Array(columns.length);
  for (let draw = 0; draw < DRAWS; draw++) {
    for (let index = 0; index < count; index++) weights[index] = random.normal();
    const scale = Math.sqrt(1 / (chiSquared(df, random) * count));
    for (const [index, { centre, deviations }] of columns.entries())
      drawn[index] = centre + scale * dot(deviations, weights);
    const lowest = Math.min(...drawn);
    for (const [index, { losses }] of columns.entries()) losses[draw] = (drawn[index] as number) - lowest;
  }
  return new Map([...logs.keys()].map((id, index) => [id, oddsOf(itemAt(columns, index).losses)]));
}

function dot(values: readonly number[], weights: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < weights.length; index++)
    sum += itemAt(values, index) * (weights[index] as number);
  return sum;
}

/** Two degrees of freedom are an exponential variable; one that is left over is a square of a normal one. */
function chiSquared(df: number, random: Random): number {
  let sum = df % 2 === 1 ? random.normal() ** 2 : 0;
  for (let pair = 0; pair < Math.floor(df / 2); pair++) sum -= 2 * Math.log(1 - random.next());
  return sum;
}

function oddsOf(losses: Float64Array): Odds {
  const share = (is: (loss: number) => boolean): number => losses.filter(is).length / DRAWS;
  return {
    probabilityOfBest: share((loss) => loss === 0),
    expectedLoss: Math.expm1(losses.reduce((sum, loss) => sum + loss, 0) / DRAWS),
    chanceSlower: share((loss) => loss > Math.log1p(WRONG_BEYOND)),
    chanceAccepted: share((loss) => loss <= Math.log1p(ACCEPTED_LOSS)),
    chanceHopeless: share((loss) => loss > Math.log1p(HOPELESS_BEYOND)),
  };
}
