/**
 * Kendall's rank correlation over the pairs whose x differ: the share of concordant pairs less that of discordant ones.
 * 1 when y rises with every x, −1 when it falls, 0 when there is nothing to compare; a tie in y counts as neither. Without
 * ties it is the tau of Kendall, "A new measure of rank correlation", Biometrika 30 (1938); with ties in x alone it is
 * Somers' d of y by x.
 *
 * @example
 * kendall([[1, 10], [2, 30], [3, 20]]); // 1/3: two pairs agree, one does not
 */
export function kendall(pairs: readonly (readonly [x: number, y: number])[]): number {
  let balance = 0;
  let compared = 0;
  for (const [index, [x, y]] of pairs.entries())
    for (const [otherX, otherY] of pairs.slice(index + 1)) {
      if (x === otherX) continue;
      compared++;
      balance += Math.sign(otherX - x) * Math.sign(otherY - y);
    }
  return compared === 0 ? 0 : balance / compared;
}
