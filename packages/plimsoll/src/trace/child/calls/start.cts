import append = require('../append.cjs');
import threads = require('../threads.cjs');
import wrapBuiltins = require('./builtins.cjs');
import nameFsJobs = require('./fs-names.cjs');
import Watch = require('./hooks.cjs');
import CallLog = require('./log.cjs');
import CallRing = require('./ring.cjs');
import reader = require('./reader.cjs');
import wrap = require('./wrap.cjs');

/** A thread without a recorder writes by itself, so often. */
const WRITE_MS = 100;

interface Started {
  /** What the recorder reads. */
  readonly memory: SharedArrayBuffer;
  /** Whether it tells of fs and lookups all that trace events would. */
  readonly tellsFs: boolean;
  /** Count the last record, too. */
  publish(): void;
  /** No recorder reads it: write to the file from here, now and then and at the end. */
  writeHere(): void;
}

/**
 * Record the calls of this thread and the jobs that they give the pool.
 *
 * @param sample share of the requests whose calls are recorded; with less than 1 only calls of requests are.
 */
function start(file: string, sample = 1): Started {
  const thread = threads.self() ?? process.pid;
  const log = new CallLog(file, thread);
  const watch = new Watch(log);
  const tellsFs = nameFsJobs(log, watch);
  wrapBuiltins(new wrap.Operations(log, sample < 1));
  watch.start();
  return {
    memory: log.ring.memory,
    tellsFs,
    publish: () => log.ring.publish(),
    writeHere() {
      const read = reader(new CallRing(log.ring.memory), thread);
      const write = (): void => {
        log.ring.publish();
        const line = read();
        if (line !== null) append(file, [line]);
      };
      setInterval(write, WRITE_MS).unref();
      process.once('exit', write);
    },
  };
}

export = start;
