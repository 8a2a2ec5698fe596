import type { SizeResult } from '../../results/bench.js';

/** A share in percent, without sign or unit: whole from 10 up, one decimal below. */
export const percent = (share: number): string => {
  const value = Math.abs(share) * 100;
  return value >= 9.95 ? value.toFixed(0) : value.toFixed(1);
};

/** `21 % faster than 4 [17, 25]`: the share of the baseline's time that is saved or added, with its interval. */
export function comparedWith(baseline: number, { ratio, interval: [low, high] }: SizeResult): string {
  const bounds = ratio < 1 ? [1 - high, 1 - low] : [low - 1, high - 1];
  const signed = bounds.map((bound) => (bound < 0 ? `−${percent(bound)}` : percent(bound)));
  return `${percent(ratio - 1)} % ${ratio < 1 ? 'faster' : 'slower'} than ${baseline} [${signed.join(', ')}]`;
}

/** A time ratio as a signed change: `−49 %`, `+2.1 %`. */
export const change = (ratio: number): string => `${ratio < 1 ? '−' : '+'}${percent(ratio - 1)} %`;

/** Milliseconds for people: whole ones from 10 up. */
export const ms = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(1));

/** `4`, `4 and 8`, `4, 8 and 12`. */
export function list(items: readonly (number | string)[]): string {
  return items.length < 2 ? String(items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
