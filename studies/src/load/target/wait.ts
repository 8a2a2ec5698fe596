import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The first of some promises, unless the signal aborts or the time is over.
 *
 * @returns `'timeout'` when the time is over.
 * @throws what the promises throw; an AbortError when the signal aborts.
 */
export async function within<Value>(
  ms: number,
  signal: AbortSignal,
  ...promises: Promise<Value>[]
): Promise<Value | 'timeout'> {
  // A promise that loses, or is not waited for at all, must not end the process when it rejects later.
  for (const promise of promises) promise.catch(() => {});
  signal.throwIfAborted();
  const over = new AbortController();
  const timer = sleep(ms, 'timeout' as const, { signal: AbortSignal.any([signal, over.signal]) });
  timer.catch(() => {});
  try {
    return await Promise.race([...promises, timer]);
  } finally {
    over.abort();
  }
}

/** Look every 20 ms until `condition` holds; `false` when that has taken `ms`. */
export async function eventually(condition: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > end) return false;
    await sleep(20);
  }
  return true;
}
