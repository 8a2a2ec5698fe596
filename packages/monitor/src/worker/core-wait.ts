import { openSync, readSync } from 'node:fs';

/**
 * Returns a function that returns the nanoseconds since its last call in which this thread was ready but had
 * no core, from the kernel's schedstat; 0 without it.
 */
export function coreWait(): () => number {
  const bytes = Buffer.alloc(64);
  let before = 0;
  let file: number;
  try {
    file = openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return () => 0;
  }
  return () => {
    const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0));
    const waited = Number(text.split(' ')[1]) || 0;
    const since = waited - before;
    before = waited;
    return since;
  };
}
