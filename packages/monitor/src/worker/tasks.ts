import { readdirSync, readFileSync } from 'node:fs';

const TASKS = '/proc/self/task';
/** libuv's name for the threads of its pool, since 1.50: Node 22.17, 24 and later. */
const POOL_THREAD = 'libuv-worker';

/** The threads of this process. */
export const taskIds = (): number[] => readdirSync(TASKS).map(Number);

/** What the kernel says of one; undefined when it has just ended, or nothing can be read. */
export function readTask(task: number, file: 'comm' | 'schedstat' | 'syscall'): string | undefined {
  try {
    return readFileSync(`${TASKS}/${task}/${file}`, 'latin1').trimEnd();
  } catch {
    return undefined;
  }
}

/** How many threads of this process are the pool's, by their names; undefined when none is called so, or nothing can be read. */
export function countByName(): number | undefined {
  try {
    return taskIds().filter((task) => readTask(task, 'comm') === POOL_THREAD).length || undefined;
  } catch {
    return undefined;
  }
}
