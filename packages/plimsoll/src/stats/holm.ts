/**
 * Holm's step-down adjustment: p-values that can be held against one level although there are many of them (Holm
 * 1979). The order of the input is kept.
 *
 * @example
 * holm([0.01, 0.04, 0.03]); // [0.03, 0.06, 0.06]
 */
export function holm(ps: readonly number[]): number[] {
  const ascending = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(ps.length);
  let least = 0;
  for (const [rank, { p, index }] of ascending.entries()) {
    least = Math.max(least, Math.min(1, (ps.length - rank) * p));
    adjusted[index] = least;
  }
  return adjusted;
}
