/** A time of `process.hrtime()`, the monotonic clock that all threads share. */
export type Origin = readonly [seconds: number, nanoseconds: number];

/** Nanoseconds since the origin. Times of `performance.now()` are not comparable between threads. */
export type Now = () => number;

export function clockFrom([seconds, nanoseconds]: Origin): Now {
  return () => {
    const time = process.hrtime();
    return (time[0] - seconds) * 1e9 + (time[1] - nanoseconds);
  };
}
