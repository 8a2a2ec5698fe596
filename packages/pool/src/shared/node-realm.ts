import { types } from 'node:util';

/** Node 22 and later ends the process when the first to read `DOMException` is code of another realm. */
const SOURCE = 'void DOMException, globalThis';

/**
 * The globals of Node's own realm. Test runners load modules into realms of their own, whose globals may be fakes from the
 * start (jest with `fakeTimers.enableGlobally`, `process` included) or missing (jsdom has neither `structuredClone` nor
 * `setImmediate`). Workers are always in Node's realm, and are spared the module.
 */
export const node: typeof globalThis =
  types.isDate instanceof Function
    ? globalThis
    : (process.getBuiltinModule('node:vm').runInThisContext(SOURCE) as typeof globalThis);
