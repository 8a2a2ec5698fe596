import { readdirSync, readFileSync } from 'node:fs';

const TASKS = '/proc/self/task';
/** libuv's name for pool threads since 1.50: Node 22.17, 24 and later. */
const POOL_THREAD = 'libuv-worker';

/** The threads of this process. */
export const taskIds = (): number[] => readdirSync(TASKS).map(Number);

/** The kernel's text about a thread; undefined if the thread has ended, or the file cannot be read. */
export function readTask(task: number, file: 'comm' | 'schedstat' | 'syscall'): string | undefined {
  try {
    return readFileSync(`${TASKS}/${task}/${file}`, 'latin1').trimEnd();
  } catch {
    return undefined;
  }
}

/** Counts pool threads by name; undefined if there are none, or names cannot be read. */
export function countByName(): number | undefined {
  try {
    return taskIds().filter((task) => readTask(task, 'comm') === POOL_THREAD).length || undefined;
  } catch {
    return undefined;
  }
}
