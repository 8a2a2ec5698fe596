import util = require('node:util');
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

type Then = (
  this: unknown,
  fulfilled?: ((value: unknown) => unknown) | null,
  rejected?: ((reason: unknown) => unknown) | null,
) => unknown;

/**
 * Tell when a result has settled, once; at once for what is no promise.
 *
 * @returns the result; of a promise, one that settles as it does: to watch the first alone would count as handling its
 *   rejection, which Node then reports to nobody.
 */
function whenSettled(
  result: unknown,
  inside: (run: () => unknown) => unknown,
  tell: (isFulfilled: boolean) => void,
): unknown {
  const then = thenOf(result);
  if (then === null) {
    tell(true);
    return result;
  }
  const watching: Then = function (fulfilled, rejected) {
    const handlers = [
      (value: unknown) => {
        tell(true);
        return typeof fulfilled === 'function' ? fulfilled(value) : value;
      },
      (reason: unknown) => {
        tell(false);
        if (typeof rejected === 'function') return rejected(reason);
        throw reason;
      },
    ];
    return inside(() => Reflect.apply(then, this, handlers));
  };
  if (util.types.isPromise(result) && Object.getPrototypeOf(result) === Promise.prototype) {
    // Some libraries put more on their promises.
    const more = Object.getOwnPropertyDescriptors(result);
    return Object.defineProperties(Reflect.apply(watching, result, []) as object, more);
  }
  return watchThen(result as object, watching, tell);
}

/** Another thenable may begin only when it is asked for its value, and anew each time: so it is watched when it is asked. */
function watchThen(thenable: object, watching: Then, tell: (isFulfilled: boolean) => void): unknown {
  try {
    Object.defineProperty(thenable, 'then', { value: watching, writable: true, configurable: true });
  } catch {
    tell(true);
  }
  return thenable;
}

function thenOf(result: unknown): Then | null {
  if ((typeof result !== 'object' && typeof result !== 'function') || result === null) return null;
  try {
    const { then } = result as { then?: unknown };
    return typeof then === 'function' ? (then as Then) : null;
  } catch {
    return null;
  }
}

export = watchMarks;
