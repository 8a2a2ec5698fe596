import fs = require('node:fs');

const TASKS = '/proc/self/task';
/** libuv's own threads have this name since 1.50. */
const POOL_THREAD = 'libuv-worker';

function list(): number[] {
  try {
    return fs.readdirSync(TASKS).map(Number);
  } catch {
    return [];
  }
}

function read(tid: number, file: string): string | null {
  try {
    return fs.readFileSync(`${TASKS}/${tid}/${file}`, 'latin1').trim();
  } catch {
    return null;
  }
}

const nameOf = (tid: number): string => read(tid, 'comm') ?? '';

export = { POOL_THREAD, list, read, nameOf };
