import util = require('node:util');

type Then = (
  this: unknown,
  fulfilled?: ((value: unknown) => unknown) | null,
  rejected?: ((reason: unknown) => unknown) | null,
) => unknown;

/**
 * Tell when a result has settled, once; at once for what is no promise.
 *
 * @param inside called with what asks a promise for its value: it may enter a context.
 * @returns the result; of a promise, one that settles as it does: to watch the first alone would count as handling its
 *   rejection, which Node then does not report.
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

export = whenSettled;
