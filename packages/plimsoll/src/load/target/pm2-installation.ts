import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { PlimsollError } from '../../errors.js';

export interface Pm2Installation {
  readonly version: string;
  /** Its command line, to be run by this Node. */
  readonly script: string;
}

/** The major version whose behaviour this was written for and is tested with. */
const MAJOR = 7;
const HOW = `install it beside your application (npm install --save-dev pm2@${MAJOR}), or use --mode node or cluster`;

/**
 * The user's PM2: the one that the working directory would load, else the one beside plimsoll, else the one on PATH.
 *
 * @throws {PlimsollError} PLIMSOLL_PM2_UNAVAILABLE when there is none, or one of another major version.
 */
export function findPm2({
  cwd = process.cwd(),
  own = import.meta.url,
  path = process.env.PATH ?? '',
} = {}): Pm2Installation {
  const manifest = resolveFrom(join(cwd, 'noop.js')) ?? resolveFrom(own) ?? onPath(path);
  if (manifest === null)
    throw new PlimsollError('PLIMSOLL_PM2_UNAVAILABLE', `PM2 is not installed here; ${HOW}`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  if (Number(version.split('.')[0]) !== MAJOR)
    throw new PlimsollError(
      'PLIMSOLL_PM2_UNAVAILABLE',
      `PM2 ${version} is installed here, but version ${MAJOR} is needed; ${HOW}`,
    );
  return { version, script: join(dirname(manifest), 'bin', 'pm2') };
}

function resolveFrom(from: string): string | null {
  try {
    return createRequire(from).resolve('pm2/package.json');
  } catch {
    return null;
  }
}

/** A global installation puts a link to pm2/bin/pm2 on PATH. */
function onPath(path: string): string | null {
  for (const directory of path.split(delimiter)) {
    const link = join(directory, 'pm2');
    if (directory === '' || !existsSync(link)) continue;
    const manifest = join(dirname(realpathSync(link)), '..', 'package.json');
    if (existsSync(manifest)) return manifest;
  }
  return null;
}
