import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

/** A generator of random numbers that gives the same ones for the same seed. */
export interface Random {
  /** From 0 up to but not 1, in steps of 2^-32. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  /** The same items in random order; the argument stays as it is. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/**
 * @param seed a whole number.
 * @example
 * createRandom(7).shuffle([1, 2, 3]);
 */
export function createRandom(seed: number): Random {
  // xoroshiro128+ would give neighbouring seeds nearly the same first numbers.
  const generator = mersenne(seed);
  const integer = (low: number, high: number): number => uniformInt(generator, low, high);
  return {
    next: () => integer(0, 2 ** 32 - 1) / 2 ** 32,
    integer,
    shuffle(items) {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = integer(0, last);
        [shuffled[last], shuffled[other]] = [shuffled[other] as never, shuffled[last] as never];
      }
      return shuffled;
    },
  };
}
