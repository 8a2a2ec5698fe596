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

/**
 * Installs a package when `find` finds nothing; ends the process with 1 when that is not possible.
 *
 * @param {string} debian the package
 * @param {string} variable of the environment that names the program
 * @param {() => string | null} find
 */
export function installProgram(debian, variable, find) {
  if (find() !== null) return;
  if (process.env[variable]) stop(`${variable} names no program: ${process.env[variable]}`);
  const by = `install it (apt-get install ${debian}), or name one in ${variable}`;
  if (process.getuid?.() !== 0) stop(`the tests need ${debian}: ${by}`);
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', debian],
  ]) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const { status, error } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    if (error || status !== 0) stop(`apt-get ${args.join(' ')} failed: ${by}`);
  }
  if (find() === null) stop(`apt-get installed ${debian}, but no program of that name is on PATH`);
}

/** @param {string} reason @returns {never} */
function stop(reason) {
  console.error(reason);
  process.exit(1);
}
