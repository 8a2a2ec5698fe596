/**
 * Where a recorder is found: a symbol of the process, so that a program which is not measured pays for reading one property,
 * and a bundled or second copy of this file finds the same one.
 */
const KEY = Symbol.for('plimsoll.mark');

interface Recorded {
  [KEY]?: (name: string, work: () => unknown) => unknown;
}

/**
 * Run a function as a request of its own, which `plimsoll tune` counts. For what does not come over HTTP: a job of a queue,
 * a message of a socket.
 *
 * It ends when the function returns or, where that is a promise, when it settles; it has failed when the function throws or
 * the promise rejects. When the program is not measured, this calls the function and nothing else.
 *
 * @param name what requests of this kind are called. A process has at most 200 names; more share one.
 * @returns what the function returns. Of a promise, measured, one that settles as it does.
 * @throws whatever the function throws.
 * @example
 * import { mark } from 'plimsoll/mark';
 * const worker = new Worker('mail', (job) => mark('send-mail', () => send(job.data)));
 */
export function mark<Result>(name: string, work: () => Result): Result {
  const recorder = (globalThis as Recorded)[KEY];
  return recorder === undefined ? work() : (recorder(name, work) as Result);
}
