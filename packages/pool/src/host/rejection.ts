import { isError } from '../shared/untrusted.js';

const settled = Promise.resolve();

/** A promise that is resolved with it rejects, some microtasks later. */
export class Rejection {
  constructor(
    readonly reason: unknown,
    /** It comes from a worker, so its stack says nothing of the functions here that await the task. */
    readonly isForeign = false,
  ) {}

  // biome-ignore lint/suspicious/noThenProperty: a thenable is what it is for
  then(resolve: (value: unknown) => void, reject: (reason: unknown) => void): void {
    if (this.isForeign && isError(this.reason)) resolve(withCallers(this.reason));
    else reject(this.reason);
  }
}

/**
 * Rejects with the error, once its stack ends with the functions that await it. V8 finds those from inside a reaction, through the
 * promises that follow the reaction's own; so nothing has to be noted when a task is submitted.
 */
function withCallers(error: Error): Promise<never> {
  // One microtask more: by then the promise of the task follows this one.
  return settled.then().then(function addCallers(): never {
    try {
      const here = { stack: '' };
      Error.captureStackTrace(here, addCallers);
      const callers = here.stack.indexOf('\n    at async ');
      if (callers !== -1 && typeof error.stack === 'string') error.stack += here.stack.slice(callers);
    } catch {
      // Not every runtime, nor every program, leaves V8's way to look at stacks in its place.
    }
    throw error;
  });
}
