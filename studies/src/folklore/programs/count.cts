// Preloaded by `node --require`: lists the threads of its process before anything has used the pool, and again at the end.
// libuv makes all pool threads at the first use and keeps them, so the difference is the pool. Only synchronous calls, which
// use no pool.
import fs = require('node:fs');
import path = require('node:path');
import workers = require('node:worker_threads');

const TASKS = '/proc/self/task';
const directory = process.env.FOLKLORE_COUNTS;

const threads = (): { tid: number; name: string }[] =>
  fs.readdirSync(TASKS).map((tid) => ({
    tid: Number(tid),
    name: fs.readFileSync(`${TASKS}/${tid}/comm`, 'utf8').trimEnd(),
  }));

if (workers.isMainThread && directory !== undefined) {
  const before = threads();
  process.once('exit', () =>
    fs.writeFileSync(
      path.join(directory, `${process.pid}.json`),
      JSON.stringify({ before, after: threads() }),
    ),
  );
}
