import { existsSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlimsollError } from '../errors.js';
import { BadModule } from './module.js';

/** A function of the user, as it is sent to the process that calls it. */
export interface Target {
  /** A file URL, or `node:…`. */
  readonly url: string;
  readonly exportName: string;
  readonly args: readonly unknown[];
  /** As the user wrote it. */
  readonly name: string;
}

/**
 * Load the function that a target names. A function that declares more parameters than there are arguments also gets a
 * Node-style callback.
 *
 * @returns starts the operation; its result settles when the operation has completed.
 * @throws {BadModule} when the module has no such function; and any error of the module.
 */
export async function loadTarget({ url, exportName, args }: Target): Promise<() => unknown> {
  const exports = (await import(url)) as Record<string, unknown>;
  const [owner, value] = find(exports, exportName);
  if (typeof value !== 'function') {
    const functions = Object.keys(exports).filter((name) => typeof exports[name] === 'function');
    const problem = value === undefined ? 'there is no export' : `it is ${typeof value}, not a function:`;
    throw new BadModule(
      `${problem} ${JSON.stringify(exportName)} (functions that it exports: ${functions.join(', ') || 'none'})`,
    );
  }
  const call = value as (...args: unknown[]) => unknown;
  if (call.length <= args.length) return () => call.apply(owner, [...args]);
  return () =>
    new Promise((resolve, reject) => {
      const returned = call.call(owner, ...args, (error: unknown, result: unknown) =>
        error === null || error === undefined ? resolve(result) : reject(error),
      );
      // A promise counts even where an argument is missing.
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

/** Whether a text means a file, not a name that plimsoll knows. */
export const looksLikePath = (text: string): boolean => /[\\/]/.test(text) || /\.[cm]?[jt]s$/.test(text);

/**
 * `PATH#export`, `package#export` or `node:module#export`; without `#` the default export.
 *
 * @returns `null` for a plain name.
 * @throws {PlimsollError} PLIMSOLL_BAD_WORKLOAD when there is no such module.
 */
export function parseTarget(text: string, args: readonly unknown[]): Target | null {
  const at = isFile(text) ? -1 : text.lastIndexOf('#');
  const module = at === -1 ? text : text.slice(0, at);
  const exportName = at === -1 || at === text.length - 1 ? 'default' : text.slice(at + 1);
  if (at === -1 && !looksLikePath(text) && !text.startsWith('node:')) return null;
  return { url: locate(module), exportName, args, name: text };
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

function locate(module: string): string {
  if (isFile(module)) return pathToFileURL(resolve(module)).href;
  if (isBuiltin(module)) return module.startsWith('node:') ? module : `node:${module}`;
  if (/^\.{0,2}[\\/]/.test(module) || module === '')
    throw new PlimsollError('PLIMSOLL_BAD_WORKLOAD', `there is no module at ${JSON.stringify(module)}`);
  try {
    return pathToFileURL(createRequire(join(process.cwd(), 'here.js')).resolve(module)).href;
  } catch (error) {
    throw new PlimsollError(
      'PLIMSOLL_BAD_WORKLOAD',
      `cannot load a file or package ${JSON.stringify(module)} from here (${(error as NodeJS.ErrnoException).code}); ` +
        'for a package that has only ES modules, write a small module that imports it',
    );
  }
}
