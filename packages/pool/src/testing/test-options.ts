import { badType } from '../errors.js';
import { count, flag, type PoolOptions } from '../host/options.js';

export type LoadFile = (filename: string, threadId: number) => unknown;

export interface TestPoolOptions extends PoolOptions {
  /**
   * Which of the things that could happen next happens, by chance but always the same for a seed: so results come in another
   * order for each. A whole number. Default: none, what has waited for longest comes first.
   */
  readonly seed?: number | undefined;
  /** Nothing happens, and no time passes, but by `step()`, `runAll()` and `advance()`. Default: false. */
  readonly manual?: boolean | undefined;
  /**
   * Gives what a worker file exports, or a promise of it, so that the test runner loads it with all that it does to modules;
   * undefined: Node loads that file. It gets the absolute path, and the id of the worker that loads it: each worker asks once for
   * each function. Default: Node loads every file.
   */
  readonly load?: LoadFile | undefined;
}

/** As the simulation works with them. */
export interface Settings {
  readonly order: Order;
  readonly isAutomatic: boolean;
  readonly load: LoadFile | undefined;
}

const MOST = Number.MAX_SAFE_INTEGER;

/** Parts the options of the pool from those of the test. @throws TypeError or RangeError */
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

/** Chooses one of so many things that could happen next, by its place. */
export type Order = (count: number) => number;

/** What has waited for longest comes first. */
const FIRST: Order = () => 0;

/** Any comes next, but for a seed it is always the same. A generator by Tommy Ettinger, "mulberry32". */
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
