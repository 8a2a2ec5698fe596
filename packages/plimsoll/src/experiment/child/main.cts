// The entry of a measuring process. CommonJS on purpose: an ES module entry has already used the pool when its
// first statement runs on Node 20 and 22.0 to 22.17 (the loader reads asynchronously), and then the pool's threads
// can no longer be told from the others by looking before and after.
import fs = require('node:fs');

const TASKS = '/proc/self/task';

function threads(): { tid: number; name: string }[] {
  try {
    return fs.readdirSync(TASKS).map((tid) => ({
      tid: Number(tid),
      name: fs.readFileSync(`${TASKS}/${tid}/comm`, 'utf8').trimEnd(),
    }));
  } catch {
    return [];
  }
}

const before = threads();
// access(2) is the first use of the pool: no version of libuv hands it to io_uring.
fs.access('.', () => {
  const after = threads();
  void import('./measure.js').then(({ serve }) => serve(before, after));
});
