import { bucketsOf } from '../metrics/buckets.js';

/** Buckets of waits in nanoseconds, up to 73 minutes; longer waits count as 73 minutes. The error is at most one part in 256. */
export const { count: BUCKETS, bucketOf, middleOf } = bucketsOf(7, 42);
