// The Chromium of the browser tests and of the pictures: a program of the machine, not of npm. As a command (--install) it
// installs Debian's where there is none.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Names the program itself, before what PATH has. */
export const VARIABLE = 'PLIMSOLL_CHROMIUM';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * The path of a Chromium; `null` when there is none.
 *
 * @param {NodeJS.ProcessEnv} [env]
 */
export function findChromium(env = process.env) {
  const given = env[VARIABLE];
  if (given) return isProgram(given) ? given : null;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
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

function install() {
  if (findChromium() !== null) return;
  if (process.env[VARIABLE]) stop(`${VARIABLE} names no program: ${process.env[VARIABLE]}`);
  if (process.getuid?.() !== 0)
    stop(
      `the browser tests need Chromium: install it (apt-get install chromium), or name one in ${VARIABLE}`,
    );
  aptGet(['update', '-qq']);
  aptGet(['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
  if (findChromium() === null) stop('apt-get installed chromium, but no program of that name is on PATH');
}

/** @param {readonly string[]} args */
function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, error } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  if (error || status !== 0)
    stop(`apt-get ${args.join(' ')} failed; install Chromium, or name one in ${VARIABLE}`);
}

/** @param {string} reason @returns {never} */
function stop(reason) {
  console.error(reason);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes('--install')) install();
