import append = require('../append.cjs');
import type sampled = require('../sampling.cjs');
import threads = require('../threads.cjs');
import logs = require('./log.cjs');
import watchMarks = require('./marks.cjs');
import watchServers = require('./servers.cjs');
import spans = require('./spans.cjs');
import table = require('./table.cjs');

type Sampling = InstanceType<typeof sampled.Sampling>;

/** A thread without a recorder writes by itself, so often. */
const WRITE_MS = 250;

interface Started {
  /** What the recorder reads. */
  readonly memory: SharedArrayBuffer;
  /** No recorder reads it: write to the file from here, now and then and at the end. */
  writeHere(): void;
}

/** Record the requests of this thread. */
function start(file: string, sampling: Sampling): Started {
  const thread = threads.self() ?? process.pid;
  const log = new logs.RequestLog(file, thread, sampling);
  watchServers(log);
  watchMarks(log);
  spans.watch(log);
  return {
    memory: log.table.memory,
    writeHere() {
      const reader = new table.RequestReader(log.table, thread);
      const write = (isLast: boolean): void => {
        const line = reader.read(isLast);
        if (line !== null) append(file, [line]);
      };
      setInterval(write, WRITE_MS, false).unref();
      process.once('exit', () => write(true));
    },
  };
}

export = start;
