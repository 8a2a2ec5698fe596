import { formatMs } from './format.js';

/** A band: `[2.1, 3.4 ms]`. */
export function between(low: number, high: number, format: (value: number) => string = formatMs): string {
  const [near, far] = [format(low), format(high)];
  const unit = (text: string): string => / \w+$/.exec(text)?.[0] ?? '';
  return unit(near) === unit(far) ? `[${near.replace(/ \w+$/, '')}, ${far}]` : `[${near}, ${far}]`;
}
