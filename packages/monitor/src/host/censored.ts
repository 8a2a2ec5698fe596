import { BUCKETS, bucketOf } from '../shared/buckets.js';

/** A wait that has lasted so long and has not ended; it stands for `weight` of them. */
export interface Unfinished {
  readonly age: number;
  readonly weight: number;
}

/**
 * Waits by bucket, those included that have not ended. To leave them out would flatter a pool that stands still, to take
 * their age for their wait would flatter one that is slow. So each counts as some wait above its age, in the proportion in
 * which the others are (Kaplan and Meier, 1958, by Efron's redistribution to the right); when none is, as its age.
 */
export function withUnfinished(counts: Float64Array, unfinished: readonly Unfinished[]): Float64Array {
  if (unfinished.length === 0) return counts;
  const cut = new Float64Array(BUCKETS);
  addTo(cut, unfinished);
  let left = sum(counts) + sum(cut);
  let scale = 1;
  return counts.map((ended, bucket) => {
    const lost = cut[bucket] as number;
    const mass = ended * scale;
    left -= ended + lost;
    if (lost > 0 && left > 0) scale *= (left + lost) / left;
    return lost > 0 && left <= 0 ? mass + lost * scale : mass;
  });
}

/** Counts each in the bucket of its age. */
export function addTo(counts: Float64Array, unfinished: readonly Unfinished[]): void {
  for (const { age, weight } of unfinished) {
    const bucket = bucketOf(age);
    counts[bucket] = (counts[bucket] as number) + weight;
  }
}

export const sum = (counts: Float64Array): number => counts.reduce((total, count) => total + count, 0);
