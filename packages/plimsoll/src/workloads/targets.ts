import { existsSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlimsollError } from '../errors.js';
import type { Target } from './target.js';

/** Whether a user means a file by it, and not a name that plimsoll knows. */
export const looksLikePath = (text: string): boolean => /[\\/]/.test(text) || /\.[cm]?[jt]s$/.test(text);

/**
 * `PATH#export`, `package#export` or `node:module#export`; without `#` the default export is meant.
 *
 * @returns `null` for what can be none of these: a plain name.
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
