import type { SizeResult } from '../../results/bench.js';
import { percent } from '../../results/words.js';

/** `21 % faster than 4 [17, 25]`: the share of the baseline's time that is saved or added, with its interval. */
export function comparedWith(baseline: number, { ratio, interval: [low, high] }: SizeResult): string {
  const bounds = ratio < 1 ? [1 - high, 1 - low] : [low - 1, high - 1];
  const signed = bounds.map((bound) => (bound < 0 ? `−${percent(bound)}` : percent(bound)));
  return `${percent(ratio - 1)} % ${ratio < 1 ? 'faster' : 'slower'} than ${baseline} [${signed.join(', ')}]`;
}
