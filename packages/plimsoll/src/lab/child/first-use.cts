// Lists a process's threads before and after the first use of its pool: the difference is the pool. CommonJS on
// purpose: an ES module entry has already used the pool when its first statement runs on Node 20 and 22.0 to 22.17 (the
// loader reads asynchronously), and then the pool's threads can no longer be told from the others.
import fs = require('node:fs');
import proc = require('./own-threads.cjs');

interface Thread {
  tid: number;
  name: string;
}

const threads = (): Thread[] => proc.list().map((tid) => ({ tid, name: proc.nameOf(tid) }));

function aroundFirstUse(tell: (before: Thread[], after: Thread[]) => void): void {
  const before = threads();
  // access(2): no version of libuv hands it to io_uring.
  fs.access('.', () => tell(before, threads()));
}

export = aroundFirstUse;
