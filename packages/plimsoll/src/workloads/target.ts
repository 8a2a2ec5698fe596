import { BadModule } from './module.js';

/** A function of the user's, as it is sent to the process that calls it. */
export interface Target {
  /** A file URL, or `node:…`. */
  readonly url: string;
  readonly exportName: string;
  readonly args: readonly unknown[];
  /** As the user wrote it. */
  readonly name: string;
}

type Called = (...args: unknown[]) => unknown;

/**
 * Load the function that a target names. A function that declares more parameters than there are arguments is given a
 * Node-style callback as its last one; any other is taken at its word: a promise, or a value when it returns.
 *
 * @returns starts it; what it returns settles when the operation has completed.
 * @throws {BadModule} when the module has no such function; whatever the module itself throws.
 */
export async function loadTarget({ url, exportName, args }: Target): Promise<() => unknown> {
  const exports = (await import(url)) as Record<string, unknown>;
  const [owner, value] = find(exports, exportName);
  if (typeof value !== 'function') {
    const functions = Object.keys(exports).filter((name) => typeof exports[name] === 'function');
    const what = value === undefined ? 'there is no export' : `it is ${typeof value}, not a function:`;
    throw new BadModule(
      `${what} ${JSON.stringify(exportName)} (functions that it exports: ${functions.join(', ') || 'none'})`,
    );
  }
  const call = value as Called;
  if (call.length <= args.length) return () => call.apply(owner, [...args]);
  return () =>
    new Promise((resolve, reject) => {
      const returned = call.call(owner, ...args, (error: unknown, result: unknown) =>
        error === null || error === undefined ? resolve(result) : reject(error),
      );
      // A promise counts even where a parameter was left out.
      if (returned instanceof Promise) returned.then(resolve, reject);
    });
}

/** `promises.stat` is the export `stat` of the export `promises`; CommonJS exports may be behind `default`. */
function find(exports: Record<string, unknown>, name: string): [unknown, unknown] {
  for (const root of [exports, exports.default]) {
    let owner: unknown = root;
    let value: unknown = root;
    for (const part of name.split('.')) {
      owner = value;
      value = owner === undefined || owner === null ? undefined : (owner as Record<string, unknown>)[part];
    }
    if (value !== undefined) return [owner, value];
  }
  return [undefined, undefined];
}
