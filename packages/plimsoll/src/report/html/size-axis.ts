/** A place on an axis from 0 (left or bottom) to 1. */
export type Scale = (value: number) => number;

/** Logarithmic: twice the size is the same way everywhere. A single value stands in the middle. */
export function logScale(least: number, most: number): Scale {
  const [from, to] = [Math.log2(least), Math.log2(most)];
  return (value) => (to === from ? 0.5 : (Math.log2(value) - from) / (to - from));
}

const STEPS = [1, 2, 5];
const MOST_TICKS = 6;

/** Round values between two bounds: 1, 2, 5, 10 …, and finer ones where the bounds are close together. */
export function ticksBetween(least: number, most: number): number[] {
  const decades: number[] = [];
  for (let exponent = Math.floor(Math.log10(least)); exponent <= Math.ceil(Math.log10(most)); exponent++)
    decades.push(...STEPS.map((step) => step * 10 ** exponent));
  const inside = decades.filter((value) => value >= least && value <= most);
  if (inside.length > MOST_TICKS) return inside.filter((value) => /^1/.test(value.toExponential()));
  return inside.length >= 2 ? inside : evenly(least, most);
}

function evenly(least: number, most: number): number[] {
  const rough = (most - least) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * (STEPS.find((one) => one * unit >= rough) ?? 10);
  const ticks: number[] = [];
  for (let value = Math.ceil(least / step) * step; value <= most + step * 1e-9; value += step)
    ticks.push(Number(value.toPrecision(6)));
  return ticks;
}
