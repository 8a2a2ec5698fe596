import append = require('../append.cjs');
import constants = require('../constants.cjs');
import type sampled = require('../sampling.cjs');
import threads = require('../threads.cjs');
import wrapBuiltins = require('./builtins.cjs');
import nameFsJobs = require('./fs-names.cjs');
import Watch = require('./hooks.cjs');
import CallLog = require('./log.cjs');
import CallRing = require('./ring.cjs');
import reader = require('./reader.cjs');
import wrap = require('./wrap.cjs');

type Sampling = InstanceType<typeof sampled.Sampling>;

const { now } = constants;

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
 * Record the calls of this thread and the jobs that they give the pool, while something is recorded.
 *
 * @param events whether there is a recorder with trace events that start and stop with them.
 */
function start(file: string, sampling: Sampling, events = false): Started {
  const thread = threads.self() ?? process.pid;
  const log = new CallLog(file, thread);
  const watch = new Watch(log);
  const tellsFs = nameFsJobs(log, watch);
  wrapBuiltins(new wrap.Operations(log));
  watch.start();
  sampling.watch({
    changed(isRecording) {
      if (isRecording) watch.resume();
      else watch.pause();
      log.ring.setRecording(isRecording);
      append(file, [{ type: 'recording', thread, at: now(), isOn: isRecording }]);
    },
    isReady: () => !events || log.ring.isTraced,
  });
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
