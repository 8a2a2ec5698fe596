/**
 * `performance.now()` counts from another origin in each thread. `process.hrtime()` does not, so the distance
 * between the two turns one into the other.
 */
export function clockOffset(): number {
  let offset = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5; attempt++) {
    const now = performance.now();
    const [seconds, nanoseconds] = process.hrtime();
    // The smallest is the one that was interrupted least.
    offset = Math.min(offset, seconds * 1e3 + nanoseconds / 1e6 - now);
  }
  return offset;
}
