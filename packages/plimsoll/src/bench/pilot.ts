import { fitGenerations, type GenerationsFit } from '../lab/fit-generations.js';

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
export interface RoundsPlan extends GenerationsFit {
  readonly repetitions: number;
}

/** Long against a scheduler's slice, short against what disturbs a machine. */
const ROUND_MS = 100;
const ISOLATED_ROUND_MS = 1000;
const MOST_REPETITIONS = 500;
const WANTED_GENERATIONS = 10;
const MOST_BLOCKS = 10;

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
  return {
    repetitions,
    ...fitGenerations({
      timeMs,
      aroundMs: openMs,
      blockMs,
      wanted: WANTED_GENERATIONS,
      mostBlocks: MOST_BLOCKS,
    }),
  };
}
