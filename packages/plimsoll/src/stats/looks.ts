import { itemAt } from '../collections/item-at.js';
import { createRandom, type Random } from './random.js';
import { studentCritical, studentTwoSidedP } from './student-t.js';

/** With fewer generations the variance between them is hardly known, and intervals are of no use. */
export const FIRST_LOOK = 4;

const PATHS = 4000;
const SEED = 20;
/** Early looks get little of the error: a trial that goes to its end loses hardly any power by having been looked at. */
const SHAPE = 2;

/**
 * How far a mean may be from the truth, in standard errors, at each of several looks at growing data: with probability `level`
 * it is never farther, at none of the looks. A group-sequential boundary for Student's t: at look k the nominal level of the
 * test is a · (k / most)², and `a` is such that all looks together err with probability 1 − level. The law of the t-statistics
 * of one growing sample depends on nothing unknown, so `a` is found by simulating them (compare Jennison & Turnbull, "Group
 * sequential methods", 2000, 4.4, whose boundaries need the variance or a bound for large samples).
 *
 * @param most the last look that can come, at `most` observations; the first is at `FIRST_LOOK`, and one follows each observation.
 * @param level of all looks together.
 * @returns the critical value at `k` observations.
 * @throws {RangeError} when `most` is below `FIRST_LOOK`.
 */
export function lookBoundary(most: number, level: number): (k: number) => number {
  if (most < FIRST_LOOK) throw new RangeError(`a look needs ${FIRST_LOOK} observations, not ${most}`);
  const key = `${most} ${level}`;
  const known = boundaries.get(key);
  if (known !== undefined) return known;
  const nominal = nominalLevel(most, 1 - level);
  const critical = Array.from({ length: most + 1 }, (_, k) =>
    k < FIRST_LOOK ? Number.POSITIVE_INFINITY : studentCritical(nominal * (k / most) ** SHAPE, k - 1),
  );
  const boundary = (k: number): number => itemAt(critical, Math.min(k, most));
  boundaries.set(key, boundary);
  return boundary;
}
const boundaries = new Map<string, (k: number) => number>();

/** The largest `a` with which at most a share `alpha` of simulated samples crosses its boundary at any look. */
function nominalLevel(most: number, alpha: number): number {
  let least = simulated.get(most);
  if (least === undefined) {
    const random = createRandom(SEED);
    least = Array.from({ length: PATHS }, () => leastScaledP(most, random)).sort((a, b) => a - b);
    simulated.set(most, least);
  }
  return itemAt(least, Math.floor(alpha * PATHS));
}
const simulated = new Map<number, readonly number[]>();

function leastScaledP(most: number, random: Random): number {
  let sum = 0;
  let squares = 0;
  let least = 1;
  for (let k = 1; k <= most; k++) {
    const value = random.normal();
    sum += value;
    squares += value * value;
    if (k < FIRST_LOOK) continue;
    const variance = (squares - (sum * sum) / k) / (k - 1);
    const p = studentTwoSidedP(sum / k / Math.sqrt(variance / k), k - 1);
    least = Math.min(least, p / (k / most) ** SHAPE);
  }
  return least;
}
