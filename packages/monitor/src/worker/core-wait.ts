import { openSync, readSync } from 'node:fs';

/**
 * Tells how many nanoseconds this thread was ready to run and had no core, since the last call: by the kernel's account of it
 * (schedstat), else 0.
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
