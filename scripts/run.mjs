import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Run a command; when it fails, this process ends with its exit code.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options] the folder is that of the repository by default
 */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Run npm; when it fails, this process ends with its exit code.
 *
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 */
export function npm(args, options) {
  const [command, ...first] = npmCommand();
  run(command, [...first, ...args], { env: npmEnvironment(), ...options });
}

/**
 * What npm prints. @throws when it fails.
 *
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function outputOfNpm(args, cwd) {
  const [command, ...first] = npmCommand();
  return execFileSync(command, [...first, ...args], { cwd, env: npmEnvironment(), encoding: 'utf8' });
}

/** With the certificates that run-tests.mjs has taken away. */
function npmEnvironment() {
  const { PLIMSOLL_EXTRA_CA_CERTS: certificates, ...env } = process.env;
  return certificates === undefined ? env : { ...env, NODE_EXTRA_CA_CERTS: certificates };
}

/**
 * npm without a shell. Since Node 20.12 Windows starts no `npm.cmd` without one, so its JavaScript is looked for: that of the
 * npm which runs this, or the one beside Node.
 *
 * @returns {[string, ...string[]]}
 */
function npmCommand() {
  const folder = dirname(process.execPath);
  const besideNode = ['node_modules', '../lib/node_modules'].map((path) =>
    join(folder, path, 'npm/bin/npm-cli.js'),
  );
  const running = process.env.npm_execpath ?? '';
  // Under yarn or pnpm the variable names their own program.
  const candidates = basename(running) === 'npm-cli.js' ? [running, ...besideNode] : besideNode;
  const cli = candidates.find((file) => existsSync(file));
  if (cli !== undefined) return [process.execPath, cli];
  if (process.platform === 'win32') throw new Error(`no npm beside ${process.execPath}; run this by npm`);
  return ['npm'];
}
