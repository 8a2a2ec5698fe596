import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/** Wait until `isOver`, at most `ms`. @returns whether it is over. @throws when `signal` aborts. */
export async function until(isOver: () => boolean, ms: number, signal?: AbortSignal): Promise<boolean> {
  const end = performance.now() + ms;
  for (;;) {
    if (isOver()) return true;
    if (performance.now() >= end) return false;
    await sleep(POLL_MS, undefined, { signal });
  }
}
