import { readdirSync, readFileSync } from 'node:fs';

/** libuv's name for the threads of its pool, since 1.50: Node 22.17, 24 and later. */
const POOL_THREAD = 'libuv-worker';

/** How many threads of this process are the pool's, by their names; undefined when none is called so, or nothing can be read. */
export function countByName(): number | undefined {
  try {
    const threads = readdirSync('/proc/self/task').filter((thread) => nameOf(thread) === POOL_THREAD);
    return threads.length === 0 ? undefined : threads.length;
  } catch {
    return undefined;
  }
}

/** Empty when the thread has just ended. */
function nameOf(thread: string): string {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'latin1').trimEnd();
  } catch {
    return '';
  }
}
