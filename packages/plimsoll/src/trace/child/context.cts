import hooks = require('node:async_hooks');

/** What the code that runs now was called for. Numbers from 1 on, in this thread; 0 for none. */
interface Context {
  readonly request: number;
  readonly operation: number;
}

const NONE: Context = { request: 0, operation: 0 };
const storage = new hooks.AsyncLocalStorage<Context>();
const current = (): Context => storage.getStore() ?? NONE;

export = { storage, current };
