import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

/** Random numbers, the same ones for the same seed. */
export interface Random {
  /** From 0 up to but not 1, in steps of 2^-32. */
  next(): number;
  integer(low: number, high: number): number;
  normal(): number;
  shuffle<Item>(items: readonly Item[]): Item[];
}

export function createRandom(seed: number): Random {
  // xoroshiro128+ would give neighbouring seeds nearly the same first numbers.
  const generator = mersenne(seed);
  const integer = (low: number, high: number): number => uniformInt(generator, low, high);
  const next = (): number => (generator.next() + 2 ** 31) / 2 ** 32;
  return {
    next,
    integer,
    // Box and Muller's method, without its second number.
    normal: () => {
      const radius = Math.sqrt(-2 * Math.log(1 - next()));
      return radius * Math.cos(2 * Math.PI * next());
    },
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
