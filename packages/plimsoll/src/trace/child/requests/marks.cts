import whenSettled = require('../../../target/child/when-settled.cjs');
import logs = require('./log.cjs');

type Log = InstanceType<typeof logs.RequestLog>;

/** Where `plimsoll/mark` finds the recorder: see src/mark.cts. */
const KEY = Symbol.for('plimsoll.mark');

/** Records what the program marks as requests. */
function watchMarks(log: Log): void {
  Object.defineProperty(globalThis, KEY, {
    value: (name: unknown, work: () => unknown) => mark(log, typeof name === 'string' ? name : '', work),
    configurable: true,
  });
}

function mark(log: Log, name: string, work: () => unknown): unknown {
  const open = log.begin('mark', 0, () => log.routes.named(name === '' ? '(unnamed)' : name));
  if (open === null) return work();
  let result: unknown;
  try {
    result = logs.inside(open, work);
  } catch (error) {
    log.end(open, 'failed');
    throw error;
  }
  return whenSettled(
    result,
    (run) => logs.inside(open, run),
    (isFulfilled) => log.end(open, isFulfilled ? 'answered' : 'failed'),
  );
}

export = watchMarks;
