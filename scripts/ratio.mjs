// Ratios of two programs that ran in alternation.

/** @param {number[]} list */
export function medianOf(list) {
  const sorted = [...list].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = low] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** An interval of 95 % of the median, by bootstrap. @param {number[]} list */
function intervalOf(list) {
  const medians = Array.from({ length: 2000 }, () =>
    medianOf(list.map(() => /** @type {number} */ (list[Math.floor(Math.random() * list.length)]))),
  ).sort((one, other) => one - other);
  return [medians[50], medians[1949]];
}

/** The median of the ratios, with its interval. @param {number[]} ratios */
export function medianRatio(ratios) {
  const [low = Number.NaN, high = Number.NaN] = intervalOf(ratios);
  const ratio = medianOf(ratios);
  return { ratio, low, high, text: `${ratio.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]` };
}
