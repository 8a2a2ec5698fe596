import { badType } from '../errors.js';
import { count, flag, type PoolOptions } from '../host/options.js';

export type LoadFile = (filename: string, threadId: number) => unknown;

export interface TestPoolOptions extends PoolOptions {
  /**
   * Chooses at random what happens next, so results come in another order; always the same order for the same seed.
   * A whole number. Default: none, and what has waited for longest comes first.
   */
  readonly seed?: number | undefined;
  /** Nothing happens and no time passes, except by `step()`, `runAll()` and `advance()`. Default: false. */
  readonly manual?: boolean | undefined;
  /**
   * Returns the exports of a worker file, or a promise of them, so that the test runner loads the file and
   * transforms it as usual; undefined: Node loads the file. Gets the absolute path, and the id of the loading
   * worker. Called once per worker and function. Default: Node loads every file.
   */
  readonly load?: LoadFile | undefined;
}

export interface Settings {
  readonly order: Order;
  readonly isAutomatic: boolean;
  readonly load: LoadFile | undefined;
}

const MOST = Number.MAX_SAFE_INTEGER;

/** Separates the options of the test from those of the pool. @throws TypeError or RangeError */
export function settingsOf(testOptions: TestPoolOptions): [Settings, PoolOptions] {
  if (typeof testOptions !== 'object' || testOptions === null)
    throw badType('options', testOptions, 'an object');
  const { seed, manual, load, ...options }: TestPoolOptions = Object.assign(Object.create(null), testOptions);
  if (load !== undefined && typeof load !== 'function')
    throw badType('options.load', load, 'a function (filename, threadId) => exports');
  const seedNumber = count('options.seed', seed, -MOST, MOST);
  const order = seedNumber === undefined ? FIRST : shuffled(seedNumber);
  return [{ order, isAutomatic: !(flag('options.manual', manual) ?? false), load }, options];
}

/** Chooses the index of what happens next. */
export type Order = (count: number) => number;

const FIRST: Order = () => 0;

/** Pseudo-random for a seed: "mulberry32" by Tommy Ettinger. */
function shuffled(seed: number): Order {
  let state = seed | 0;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return (count) => Math.floor(random() * count);
}
