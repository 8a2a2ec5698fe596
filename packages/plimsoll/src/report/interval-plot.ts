import type { Ratio } from './document.js';

/** A narrower axis would draw noise as large as an effect. */
const LEAST_SPAN = [0.95, 1.05];

/** Where a ratio stands, from 0 to 1, on one logarithmic axis for several; 1 and ±5 % are always on it. */
export function ratioScale(ratios: readonly Ratio[]): (ratio: number) => number {
  const logs = [...ratios.flatMap(({ ratio, interval }) => [ratio, ...(interval ?? [])]), ...LEAST_SPAN].map(
    Math.log,
  );
  const low = Math.min(...logs);
  const span = Math.max(...logs) - low;
  return (ratio) => (Math.log(ratio) - low) / span;
}

/** Draws ratios with their intervals as rows of `width` characters, so that they can be compared by eye; 1 is `│`. */
export function intervalPlot(ratios: readonly Ratio[], width: number): (one: Ratio) => string {
  const scale = ratioScale(ratios);
  const at = (ratio: number): number => Math.round(scale(ratio) * (width - 1));
  return ({ ratio, interval }) => {
    const [from, to] = interval ?? [ratio, ratio];
    const cells = Array.from({ length: width }, () => ' ');
    cells[at(1)] = '│';
    for (let cell = at(from); cell <= at(to); cell++) cells[cell] = '─';
    cells[at(ratio)] = '●';
    return cells.join('');
  };
}
