import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * npm without a shell: since Node 20.12.2 Windows starts no `npm.cmd` without one. Its JavaScript is that of the npm which runs
 * this, or the one beside Node.
 */
function npmCommand(): readonly [string, ...string[]] {
  const running = process.env.npm_execpath ?? '';
  const folder = dirname(process.execPath);
  const cli = [
    // Under yarn or pnpm the variable names their own program.
    ...(basename(running) === 'npm-cli.js' ? [running] : []),
    ...['node_modules', '../lib/node_modules'].map((path) => join(folder, path, 'npm/bin/npm-cli.js')),
  ].find((file) => existsSync(file));
  if (cli !== undefined) return [process.execPath, cli];
  if (process.platform === 'win32') throw new Error(`no npm beside ${process.execPath}; run this by npm`);
  return ['npm'];
}

export function npm(args: readonly string[], cwd: string): string {
  const [file, ...first] = npmCommand();
  const { PLIMSOLL_EXTRA_CA_CERTS: certificates, ...env } = process.env;
  return execFileSync(file, [...first, ...args], {
    cwd,
    // scripts/run-tests.mjs has taken them away from everything else.
    env: certificates === undefined ? env : { ...env, NODE_EXTRA_CA_CERTS: certificates },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

let registry: string | undefined;

/** The registry that npm is configured for, for package managers that have a configuration of their own. */
export function npmRegistry(): string {
  registry ??= npm(['config', 'get', 'registry'], process.cwd()).trim();
  return registry;
}
