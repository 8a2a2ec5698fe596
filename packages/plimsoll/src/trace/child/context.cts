import hooks = require('node:async_hooks');

/** What the code that runs now was called for. Numbers from 1 on, in this thread; 0 for none. */
interface Context {
  readonly request: number;
  readonly operation: number;
}

const NONE: Context = { request: 0, operation: 0 };
const storage = new hooks.AsyncLocalStorage<Context>();
let isOn = true;

const current = (): Context => get() ?? NONE;
const get = (): Context | undefined => (isOn ? storage.getStore() : undefined);

/** Call a function in a context; while nothing is recorded, as it is. */
const run = <Args extends unknown[], Result>(
  own: Context | undefined,
  fn: (...args: Args) => Result,
  ...args: Args
): Result => (isOn ? storage.run(own as Context, fn, ...args) : fn(...args));

/** While nothing is recorded the storage costs nothing either. */
function setOn(on: boolean): void {
  isOn = on;
  if (!on) storage.disable();
}

export = { current, get, run, setOn, isOn: () => isOn };
