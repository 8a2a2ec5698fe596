// Programs of the machine that tests need, from Debian's packages.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The path of the first of some programs that PATH has, or of the one that a variable of the environment names; `null` when there
 * is none.
 *
 * @param {readonly string[]} names
 * @param {string | undefined} given
 * @param {NodeJS.ProcessEnv} env
 */
export function findProgram(names, given, env) {
  if (given) return isProgram(given) ? given : null;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @typedef {{ debian: string, variable: string, find: () => string | null }} Program its package, and what `findProgram` takes */

/**
 * Installs the packages of those programs that `find` does not find; ends the process with 1 when that is not possible.
 *
 * @param {readonly Program[]} programs
 */
export function installPrograms(programs) {
  const missing = programs.filter(({ find }) => find() === null);
  if (missing.length === 0) return;
  for (const { variable } of missing)
    if (process.env[variable]) stop(`${variable} names no program: ${process.env[variable]}`);
  const packages = missing.map(({ debian }) => debian);
  const variables = missing.map(({ variable }) => variable);
  const by = `install it (apt-get install ${packages.join(' ')}), or name one in ${variables.join(', ')}`;
  if (process.getuid?.() !== 0) stop(`the tests need ${packages.join(', ')}: ${by}`);
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
  ]) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const { status, error } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    if (error || status !== 0) stop(`apt-get ${args.join(' ')} failed: ${by}`);
  }
  for (const { debian, find } of missing)
    if (find() === null) stop(`apt-get installed ${debian}, but no program of that name is on PATH`);
}

/** @param {string} reason @returns {never} */
function stop(reason) {
  console.error(reason);
  process.exit(1);
}
