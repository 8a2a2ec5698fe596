// Loaded into every Node process of a user's command before anything of it runs: notes which threads there are before
// the pool is used, so that they can be told from the pool's afterwards. Synchronous, and nothing else is touched.
import fs = require('node:fs');
import path = require('node:path');

const directory = process.env.PLIMSOLL_THREADS;
try {
  const before = fs.readdirSync('/proc/self/task').map(Number);
  const note = JSON.stringify({ before, libuv: process.versions.uv });
  if (directory !== undefined) fs.writeFileSync(path.join(directory, `${process.pid}.json`), note);
} catch {
  // No /proc, or no right to write there: the threads are then counted by their names, or not at all.
}
