// Lists the threads before and after the first use of the pool: the difference is the pool. An ES module entry would come too
// late: on Node 20 and 22.0 to 22.17 its loader uses the pool before the first statement runs.
import fs = require('node:fs');
import proc = require('./own-threads.cjs');

interface Thread {
  tid: number;
  name: string;
}

const threads = (): Thread[] => proc.list().map((tid) => ({ tid, name: proc.nameOf(tid) }));

function aroundFirstUse(tell: (before: Thread[], after: Thread[]) => void): void {
  const before = threads();
  // No version of libuv hands access(2) to io_uring.
  fs.access('.', () => tell(before, threads()));
}

export = aroundFirstUse;
