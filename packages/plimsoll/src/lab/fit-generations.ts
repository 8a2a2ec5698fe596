import { FIRST_LOOK } from '../stats/looks.js';

const MOST_GENERATIONS = 100;

export interface GenerationsFit {
  /** Of a generation. */
  readonly blocks: number;
  readonly mostGenerations: number;
}

/**
 * Fit blocks and generations to the time.
 *
 * @param aroundMs what starting and ending the processes of a generation takes.
 * @param wanted generations that the time should hold: with fewer the spread between them is not known well.
 */
export function fitGenerations({
  timeMs,
  aroundMs,
  blockMs,
  wanted,
  mostBlocks,
}: {
  readonly timeMs: number;
  readonly aroundMs: number;
  readonly blockMs: number;
  readonly wanted: number;
  readonly mostBlocks: number;
}): GenerationsFit {
  const share = timeMs / wanted - aroundMs;
  const blocks = Math.min(mostBlocks, Math.max(1, Math.floor(share / blockMs)));
  // A machine that gets faster on the way has more of them: the boundary of the looks must hold until then.
  const expected = (1.25 * timeMs) / (aroundMs + blocks * blockMs);
  return { blocks, mostGenerations: Math.min(MOST_GENERATIONS, Math.max(FIRST_LOOK, Math.ceil(expected))) };
}
