import { FIRST_LOOK } from '../stats/looks.js';

/** What a trial run of the baseline shows. */
export interface Pilot {
  /** From before its process was started until it was ready. */
  readonly openMs: number;
  /** Of the work, done once. */
  readonly workMs: number;
  readonly operations: number;
  readonly unloadedLatencyMs: number;
  readonly rssBytes: number;
  /** The workload asks to be alone. */
  readonly isolated: boolean;
}

/** How the rounds of a workload go. */
export interface RoundsPlan {
  readonly repetitions: number;
  /** Of a generation. */
  readonly blocks: number;
  readonly mostGenerations: number;
}

/** Long against a scheduler's slice, short against what disturbs a machine. */
const ROUND_MS = 100;
const ISOLATED_ROUND_MS = 1000;
const MOST_REPETITIONS = 500;
/** Generations that the time should hold: with fewer the spread between them is not known well. */
const WANTED_GENERATIONS = 10;
const MOST_BLOCKS = 10;
const MOST_GENERATIONS = 100;

/**
 * Fit rounds, blocks and generations to the time.
 *
 * @param arms rounds of a block.
 */
export function planRounds(
  { openMs, workMs }: Pick<Pilot, 'openMs' | 'workMs'>,
  {
    arms,
    timeMs,
    isolated,
    blocks,
  }: { arms: number; timeMs: number | null; isolated: boolean; blocks: number },
): RoundsPlan {
  const wanted = isolated ? ISOLATED_ROUND_MS : ROUND_MS;
  const repetitions = Math.min(MOST_REPETITIONS, Math.max(1, Math.round(wanted / workMs)));
  if (isolated || timeMs === null) return { repetitions, blocks: 1, mostGenerations: blocks };
  const blockMs = arms * repetitions * workMs;
  const share = timeMs / WANTED_GENERATIONS - openMs;
  const ofGeneration = Math.min(MOST_BLOCKS, Math.max(1, Math.floor(share / blockMs)));
  // A machine that gets faster on the way has more of them: the boundary of the looks must hold until then.
  const expected = (1.25 * timeMs) / (openMs + ofGeneration * blockMs);
  const mostGenerations = Math.min(MOST_GENERATIONS, Math.max(FIRST_LOOK, Math.ceil(expected)));
  return { repetitions, blocks: ofGeneration, mostGenerations };
}
