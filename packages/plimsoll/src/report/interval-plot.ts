/** Draws ratios with their intervals on one logarithmic axis, so that rows can be compared by eye. */
export interface IntervalPlot {
  /** One row of `width` characters. */
  row(ratio: number, interval: readonly [number, number]): string;
}

/** A narrower axis would draw noise as large as an effect. */
const LEAST_SPAN = [0.95, 1.05];

/** @param ratios every estimate and bound that has to fit; 1 is always on the axis, as `│`, and so is ±5 %. */
export function intervalPlot(ratios: readonly number[], width: number): IntervalPlot {
  const logs = [...ratios, ...LEAST_SPAN].map(Math.log);
  const low = Math.min(...logs);
  const span = Math.max(...logs) - low;
  const at = (ratio: number): number => Math.round(((Math.log(ratio) - low) / span) * (width - 1));
  return {
    row(ratio, [from, to]) {
      const cells = Array.from({ length: width }, () => ' ');
      cells[at(1)] = '│';
      for (let cell = at(from); cell <= at(to); cell++) cells[cell] = '─';
      cells[at(ratio)] = '●';
      return cells.join('');
    },
  };
}
