const { hrtime } = process;

/**
 * Milliseconds by a clock that is the same in every thread, unlike `performance.now()`, whose first use also costs a
 * new thread half a millisecond.
 */
export function now(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
