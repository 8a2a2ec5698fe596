import type { Ratio } from './document.js';

/** A narrower axis would draw noise as large as an effect. */
const LEAST_SPAN = [0.95, 1.05];

/** Draws ratios with their intervals as rows of `width` characters on one logarithmic axis; 1 is `│`, and always on it. */
export function intervalPlot(ratios: readonly Ratio[], width: number): (one: Ratio) => string {
  const logs = [...ratios.flatMap(({ ratio, interval }) => [ratio, ...(interval ?? [])]), ...LEAST_SPAN].map(
    Math.log,
  );
  const low = Math.min(...logs);
  const span = Math.max(...logs) - low;
  const at = (ratio: number): number => Math.round(((Math.log(ratio) - low) / span) * (width - 1));
  return ({ ratio, interval }) => {
    const [from, to] = interval ?? [ratio, ratio];
    const cells = Array.from({ length: width }, () => ' ');
    cells[at(1)] = '│';
    for (let cell = at(from); cell <= at(to); cell++) cells[cell] = '─';
    cells[at(ratio)] = '●';
    return cells.join('');
  };
}
