import { AsyncResource } from 'node:async_hooks';
import { AbortError, PoolError, UncloneableError } from '../errors.js';
import { type FilledOptions, fillOptions, type PoolOptions } from '../host/options.js';

// What the stand-ins for Piscina and tinypool share.

/** For each option: what is right, and the end of the error's text. */
export type Checks<Options> = readonly (readonly [
  keyof Options & string,
  (value: never) => boolean,
  string,
])[];

export const isNumber = (least: number) => (value: unknown) => typeof value === 'number' && value >= least;
export const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
export const isText = (value: unknown): boolean => value === null || typeof value === 'string';

/** @param called what error texts call the option. @throws TypeError */
export function check<Options extends object>(
  options: Options,
  checks: Checks<Options>,
  called: (name: string) => string,
): void {
  for (const [name, isRight, right] of checks) {
    const value = options[name];
    if (value !== undefined && !isRight(value as never)) throw new TypeError(`${called(name)} ${right}`);
  }
}

export const integerOf = (value: number | undefined): number | undefined =>
  value === undefined || !Number.isFinite(value) ? value : Math.max(Math.floor(value), 0);

/** As `fillOptions`; `workerData` that cannot be cloned raises the plain error of Node, as in both originals. */
export function fill(options: PoolOptions): FilledOptions {
  try {
    return fillOptions(options);
  } catch (error) {
    throw error instanceof UncloneableError ? error.cause : error;
  }
}

/** Settles inside an async resource, so that diagnostic tools see one of that type per task. Errors are the original's. */
export function inResource<R>(type: string, triggerAsyncId: number, result: Promise<R>): Promise<R> {
  const resource = new AsyncResource(type, { triggerAsyncId });
  return new Promise((resolve, reject) => {
    result.then(
      (value) => resource.runInAsyncScope(resolve, undefined, value),
      (error: unknown) => resource.runInAsyncScope(reject, undefined, unwrapped(error)),
    );
  });
}

/** The originals reject with the worker's error, where the pool has it as the cause; and with another one after `close()`. */
function unwrapped(error: unknown): unknown {
  if (!(error instanceof PoolError)) return error;
  if (error.code === 'PLIMSOLL_POOL_CLOSED' && error.message !== 'Terminating worker thread') {
    return new AbortError('queue is being terminated');
  }
  const bare = ['PLIMSOLL_POOL_WORKER_CRASHED', 'PLIMSOLL_POOL_OUT_OF_MEMORY', 'PLIMSOLL_POOL_LOAD_FAILED'];
  return bare.includes(error.code) && error.cause !== undefined ? error.cause : error;
}
