/** The part of a timeline that is shown. Times in milliseconds. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A microsecond on a page of a hundred pixels: there is nothing to see below. */
const LEAST_MS = 0.01;

/** Zoom by a factor (2 shows half as much) about a place between 0, the left end, and 1. */
export function zoomed({ from, to }: Window, factor: number, at: number, all: number): Window {
  const width = Math.min(all, Math.max(Math.min(LEAST_MS, all), (to - from) / factor));
  return within(from + (to - from) * at - width * at, width, all);
}

/** Move to later times by a share of what is shown. */
export const moved = ({ from, to }: Window, share: number, all: number): Window =>
  within(from + (to - from) * share, to - from, all);

function within(from: number, width: number, all: number): Window {
  const start = Math.min(Math.max(0, from), all - width);
  return { from: start, to: start + width };
}
