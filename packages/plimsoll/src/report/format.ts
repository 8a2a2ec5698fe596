import { change, percent } from '../results/words.js';

const integer = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

const digits = (value: number): number => (value >= 100 ? 0 : value >= 10 ? 1 : 2);

/** A time in milliseconds with three significant digits and its unit: `1.66 s`, `85.3 ms`. */
export function formatMs(ms: number): string {
  if (ms >= 60_000) return formatDuration(ms);
  if (ms >= 1000) return `${(ms / 1000).toFixed(digits(ms / 1000))} s`;
  return `${ms.toFixed(digits(ms))} ms`;
}

/** A span that people wait for: `2 min 10 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60
    ? `${seconds} s`
    : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

export const formatRate = (perSecond: number): string =>
  perSecond >= 100 ? integer.format(perSecond) : perSecond.toFixed(digits(perSecond));

export const formatBytes = (bytes: number): string => `${integer.format(bytes / 2 ** 20)} MB`;

/** A time ratio with its interval as signed changes: `−49 % [−50, −47]`. */
export function formatChange(ratio: number, [low, high]: readonly [number, number]): string {
  const bound = (value: number): string => `${value < 1 ? '−' : '+'}${percent(value - 1)}`;
  return `${change(ratio)} [${bound(low)}, ${bound(high)}]`;
}
