exports.sort = (numbers) => numbers.sort((a, b) => a - b);

exports.median = (sorted) => {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
