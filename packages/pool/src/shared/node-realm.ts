import { types } from 'node:util';

/** Node 22 and later end the process if code of another realm is the first to read `DOMException`. */
const SOURCE = 'void DOMException, globalThis';

/**
 * The globals of Node's own realm. In realms of test runners, globals may be fake (jest with `fakeTimers.enableGlobally`) or
 * missing (jsdom). Workers are always in Node's realm, so they do not load `node:vm`.
 */
export const node: typeof globalThis =
  types.isDate instanceof Function
    ? globalThis
    : (process.getBuiltinModule('node:vm').runInThisContext(SOURCE) as typeof globalThis);
