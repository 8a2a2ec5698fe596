import { basename, isAbsolute, relative } from 'node:path';

/**
 * A script as reports may show it: below the working directory by its path from there, elsewhere by its name alone.
 *
 * @example
 * scriptName('/home/me/app/src/server.js', '/home/me/app'); // 'src/server.js'
 */
export function scriptName(script: string | null, directory = process.cwd()): string | null {
  if (script === null) return null;
  const path = relative(directory, script);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? basename(script) : path;
}
