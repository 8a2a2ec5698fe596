/** A symbol of the process finds the recorder for every copy of this file; without one a call reads one property. */
const KEY = Symbol.for('plimsoll.mark');

interface Recorded {
  [KEY]?: (name: string, work: () => unknown) => unknown;
}

/**
 * Run a function as a request that `plimsoll tune` counts, for work that does not come over HTTP: a queue job, a socket message.
 *
 * The request ends when the function returns or its promise settles; it fails when the function throws or the promise rejects.
 * When nothing measures the program, this only calls the function.
 *
 * @param name of this kind of request. A process has at most 200 names; further kinds share one.
 * @returns the result of the function; for a promise, when measured, a promise that settles in the same way.
 * @throws any error of the function.
 * @example
 * import { mark } from 'plimsoll/mark';
 * const worker = new Worker('mail', (job) => mark('send-mail', () => send(job.data)));
 */
export function mark<Result>(name: string, work: () => Result): Result {
  const recorder = (globalThis as Recorded)[KEY];
  return recorder === undefined ? work() : (recorder(name, work) as Result);
}
