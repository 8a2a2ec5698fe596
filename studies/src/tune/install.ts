import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, scratch } from '../common/paths.js';

/** Programs, their pinned packages and the lock file. */
export const SOURCE = join(ROOT, 'studies/programs');

/** The only packages that need their install script: they bring no binary, and fetch or compile one. */
export const WITH_SCRIPTS: readonly string[] = ['sqlite3'];

export interface Installed {
  /** Where the programs are, beside their packages. */
  readonly directory: string;
  /** Why a package cannot be used. */
  readonly broken: ReadonlyMap<string, string>;
}

export interface InstallOptions {
  readonly source?: string;
  /** Gets a folder for each lock file. */
  readonly cache?: string;
  /** npm's command line and what comes before it. */
  readonly npm?: readonly [string, ...string[]];
  readonly signal?: AbortSignal;
}

/** Could not be installed at all: without a network, say. */
export class NotInstalled extends Error {
  override readonly name = 'NotInstalled';
}

/**
 * Installs the pinned packages into `.cache`, once for each lock file and version of Node, without running any script but
 * those of `WITH_SCRIPTS`. A later call takes what is there.
 *
 * @throws {NotInstalled} with npm's reason.
 */
export async function install({
  source = SOURCE,
  cache = join(scratch('predict'), 'programs'),
  npm = ['npm'],
  signal,
}: InstallOptions = {}): Promise<Installed> {
  const directory = join(cache, fingerprint(source));
  const done = join(directory, 'installed.json');
  mkdirSync(directory, { recursive: true });
  for (const file of readdirSync(source))
    if (file !== 'node_modules') cpSync(join(source, file), join(directory, file));
  if (!existsSync(done)) {
    // What an interrupted installation left is not what the lock file says.
    rmSync(join(directory, 'node_modules'), { recursive: true, force: true });
    const run = (...args: string[]): Promise<string | null> => runNpm([...npm, ...args], directory, signal);
    const failed = await run('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
    if (failed !== null) throw new NotInstalled(`npm ci: ${failed}`);
    const broken: [string, string][] = [];
    for (const name of WITH_SCRIPTS.filter((one) => existsSync(join(directory, 'node_modules', one)))) {
      const why = await run('rebuild', name, '--ignore-scripts=false', '--loglevel=error');
      if (why !== null) broken.push([name, `npm rebuild ${name}: ${why}`]);
    }
    writeFileSync(done, JSON.stringify(broken));
  }
  return { directory, broken: new Map(JSON.parse(readFileSync(done, 'utf8')) as [string, string][]) };
}

/** Binaries are made for one version of Node's interface. */
function fingerprint(source: string): string {
  const lock = readFileSync(join(source, 'package-lock.json'));
  return createHash('sha256').update(lock).update(process.versions.modules).digest('hex').slice(0, 12);
}

const KEPT_CHARACTERS = 4_000;

/** @returns the last thing that npm said when it failed; `null` when it did not. @throws an AbortError. */
function runNpm(
  [command = '', ...args]: readonly string[],
  cwd: string,
  signal?: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(signal && { signal }),
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-KEPT_CHARACTERS);
    });
    child.once('error', (error) => (signal?.aborted ? reject(error) : resolve(error.message)));
    child.once('close', (code) => resolve(code === 0 ? null : reasonOf(said, code)));
  });
}

/** npm's first error that is a sentence; what it says of its log file, which is on this machine, is of no use to anybody. */
function reasonOf(said: string, code: number | null): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !/log of this run|_logs|^path |^A complete|^command /.test(line));
  return (lines.slice(0, 3).join('; ') || `exit code ${code}`).slice(0, 300);
}
