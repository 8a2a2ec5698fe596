import fs = require('node:fs');

const TASKS = '/proc/self/task';
/** libuv's own threads have this name since 1.50. */
const POOL_THREAD = 'libuv-worker';

/** Ids of the threads of this process; none where there is no /proc. */
function list(): number[] {
  try {
    return fs.readdirSync(TASKS).map(Number);
  } catch {
    return [];
  }
}

/** What the kernel has in a file of a thread; `null` where it does not tell. */
function read(tid: number, file: string): string | null {
  try {
    return fs.readFileSync(`${TASKS}/${tid}/${file}`, 'latin1').trim();
  } catch {
    return null;
  }
}

const nameOf = (tid: number): string => read(tid, 'comm') ?? '';

export = { POOL_THREAD, list, read, nameOf };
