import type { GenerationColumns } from '#studies/common/result.js';
import type { Turns } from '#studies/common/take-turns.js';

/** What taking turns yields, of these generations. */
export const turnsOf = (generations: readonly GenerationColumns[], lost?: string): Turns => ({
  method: {
    mode: 'alternating',
    seconds: 10,
    tookSeconds: 10,
    blocks: 2,
    generations: generations.length,
    mostGenerations: 10,
    rounds: 2 * generations.length,
    looks: generations.length,
    stop: 'time',
  },
  disturbances: [],
  lost: lost === undefined ? [] : [{ contender: lost, reason: 'it broke' }],
  failure: null,
  generations,
});
