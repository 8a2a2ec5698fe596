/** A point of the monotonic clock that all threads of a process share, from `process.hrtime()`. */
export type Origin = readonly [seconds: number, nanoseconds: number];

/** Nanoseconds since the origin. `performance.now()` begins anew in each thread, so it cannot compare two of them. */
export type Now = () => number;

export function clockFrom([seconds, nanoseconds]: Origin): Now {
  return () => {
    const time = process.hrtime();
    return (time[0] - seconds) * 1e9 + (time[1] - nanoseconds);
  };
}
