import type { Random } from '../../stats/random.js';

/** One measurement that the contest asks for. */
export interface Turn<Arm> {
  /** Counts from 0. */
  readonly block: number;
  /** Place in its block, counts from 0. */
  readonly order: number;
  readonly arm: Arm;
  /** The whole of it should not take longer, so that there are enough blocks. */
  readonly mostMs: number;
}

/** What the judge of a contest says after each block. */
export interface Standing<Arm> {
  /** Those that go on; hopeless ones are left out. */
  readonly living: readonly Arm[];
  /** The answer is known, and further blocks would not change it. */
  readonly settled: boolean;
}

/** How far a contest has come. */
export interface Course<Arm> {
  /** Those that took part in the last block. */
  readonly living: readonly Arm[];
  /** So many blocks of all arms fit into the time, as the first one took. */
  readonly mostBlocks: number;
}

export interface ContestOptions<Arm, Result> {
  readonly arms: readonly Arm[];
  readonly measure: (turn: Turn<Arm>) => Promise<Result>;
  /** A result that says nothing; its arm is measured once more, at the end of the block. */
  readonly isDisturbed: (result: Result) => boolean;
  readonly judge: (results: readonly Result[], course: Course<Arm>) => Standing<Arm>;
  /** Called before each block. */
  readonly between?: (block: number) => Promise<void>;
  /** No block is begun that would end later than this. */
  readonly timeMs: number;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly onResult?: (result: Result) => void;
}

export interface Contest<Arm, Result> extends Course<Arm> {
  /** Those of a block that was cut short included. */
  readonly results: readonly Result[];
  readonly ending: ContestEnding;
}

export type ContestEnding = 'settled' | 'time' | 'interrupted';

/** There should be so many blocks of all arms: fewer differ too little to tell how much they differ. */
const LEAST_BLOCKS = 6;

/**
 * Compare arms by measuring each of them once in every block, in random order, until the judge knows or the time is over.
 * Every second block replays the order of the one before it reversed, so that a linear drift cancels out (ABBA).
 *
 * @throws whatever `measure` throws, unless the signal has aborted.
 * @example
 * const { results } = await contest({ arms: [1, 4, 'twin'], measure, judge, isDisturbed, timeMs: 60_000, random, signal });
 */
export async function contest<Arm, Result>(
  options: ContestOptions<Arm, Result>,
): Promise<Contest<Arm, Result>> {
  const { measure, isDisturbed, judge, between, timeMs, random, signal, onResult } = options;
  const start = performance.now();
  const left = (): number => timeMs - (performance.now() - start);
  const results: Result[] = [];
  let living = options.arms;
  let order: readonly Arm[] = [];
  let turnMs = 0;
  let mostBlocks = 1;
  const ended = (ending: ContestEnding): Contest<Arm, Result> => ({ results, living, mostBlocks, ending });
  try {
    for (let block = 0; block === 0 || left() > turnMs * living.length; block++) {
      const blockStart = performance.now();
      await between?.(block);
      order =
        block % 2 === 1 ? order.filter((arm) => living.includes(arm)).toReversed() : random.shuffle(living);
      const turns = [...order];
      const mostMs = left() / Math.max(1, LEAST_BLOCKS - block) / turns.length;
      for (let place = 0; place < turns.length; place++) {
        signal.throwIfAborted();
        const arm = turns[place] as Arm;
        const result = await measure({ block, order: place, arm, mostMs });
        results.push(result);
        onResult?.(result);
        if (isDisturbed(result) && place < order.length) turns.push(arm);
      }
      turnMs = (performance.now() - blockStart) / turns.length;
      if (block === 0) mostBlocks = Math.max(1, Math.round(timeMs / turnMs / turns.length));
      const standing = judge(results, { living, mostBlocks });
      living = living.filter((arm) => standing.living.includes(arm));
      if (standing.settled) return ended('settled');
    }
    return ended('time');
  } catch (error) {
    if (!signal.aborted) throw error;
    return ended('interrupted');
  }
}
