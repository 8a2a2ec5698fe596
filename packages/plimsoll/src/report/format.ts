/** A share in percent, without sign or unit: whole from 10 up, one decimal below. */
export const percent = (share: number): string => {
  const value = Math.abs(share) * 100;
  return value >= 9.95 ? value.toFixed(0) : value.toFixed(1);
};

/** A time ratio as a signed change: `−49 %`, `+2.1 %`. */
export const change = (ratio: number): string => `${ratio < 1 ? '−' : '+'}${percent(ratio - 1)} %`;

/** `4`, `4 and 8`, `4, 8 and 12`. */
export function list(items: readonly (number | string)[]): string {
  return items.length < 2 ? String(items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

export const formatNumber = (value: number): string => value.toLocaleString('en-GB');

/** A number with at most one digit behind the point: `1.9`, `2`. */
export const formatDecimal = (value: number): string => String(Number(value.toFixed(1)));

/** A number of things: `1 core`, `2.5 cores`. */
export const formatCount = (count: number, thing: string): string =>
  `${formatDecimal(count)} ${thing}${count === 1 ? '' : 's'}`;

export const verb = (items: readonly unknown[], one: string, many: string): string =>
  items.length === 1 ? one : many;

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
  perSecond >= 100 ? formatNumber(Math.round(perSecond)) : perSecond.toFixed(digits(perSecond));

/** Whole megabytes, or whole kilobytes below one. */
export const formatBytes = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.round(bytes / 1024)} KB` : `${formatNumber(Math.round(bytes / 2 ** 20))} MB`;

/** A time ratio with its interval, where there is one, as signed changes: `−49 % [−50, −47]`. */
export function formatChange(ratio: number, interval: readonly [number, number] | null): string {
  if (interval === null) return change(ratio);
  const [low, high] = interval;
  const bound = (value: number): string => `${value < 1 ? '−' : '+'}${percent(value - 1)}`;
  return `${change(ratio)} [${bound(low)}, ${bound(high)}]`;
}
