import { FIRST_LOOK } from '../stats/looks.js';

export interface GenerationsFit {
  readonly blocks: number;
  readonly mostGenerations: number;
  /** What starting and ending the processes of a generation takes, and what a block takes. */
  readonly aroundMs: number;
  readonly blockMs: number;
}

/** Processes of several contestants differ: so many generations tell by how much. */
const LEAST_GENERATIONS = 8;
/** What all share is in no ratio; with one more than the first look a clear answer comes before the time is up. */
const LEAST_OF_SHARED = FIRST_LOOK + 1;
const WANTED_GENERATIONS = 20;
const MOST_GENERATIONS = 100;
/** Blocks take at least so many times as long as starting the processes does, where the time is long enough. */
const WORTH = 6;

/**
 * Fit blocks and generations to the time: as many generations as start in a seventh of it, up to 20, but at least eight; where
 * contestants share their process, at least five.
 */
export function fitGenerations(
  time: Readonly<{ timeMs: number; aroundMs: number; blockMs: number; isShared?: boolean }>,
): GenerationsFit {
  const { timeMs, aroundMs, blockMs, isShared = false } = time;
  const inOneOf = (generations: number): number => Math.floor((timeMs / generations - aroundMs) / blockMs);
  const wanted = Math.max(inOneOf(WANTED_GENERATIONS), Math.ceil((WORTH * aroundMs) / blockMs));
  const blocks = Math.max(1, Math.min(wanted, inOneOf(isShared ? LEAST_OF_SHARED : LEAST_GENERATIONS)));
  // A machine that gets faster meanwhile completes more.
  const expected = Math.ceil((1.25 * timeMs) / (aroundMs + blocks * blockMs));
  const mostGenerations = Math.min(MOST_GENERATIONS, Math.max(FIRST_LOOK, expected));
  return { blocks, mostGenerations, aroundMs, blockMs };
}

/**
 * Blocks of a generation with which the rest of the time narrows the interval most: the more that generations differ, the fewer
 * blocks are worth starting one (Kalibera & Jones, "Rigorous benchmarking in reasonable time", 2013).
 *
 * @param between variance between generations ÷ variance between the blocks of one.
 */
export function blocksWorth({ blocks, aroundMs, blockMs }: GenerationsFit, between: number): number {
  return Math.max(1, Math.min(blocks, Math.round(Math.sqrt(aroundMs / blockMs / between))));
}
