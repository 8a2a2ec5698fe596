import { execFileSync } from 'node:child_process';

/** npm as the one that belongs to this node, never through a shell. */
export function npmCommand(): readonly [string, ...string[]] {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) return [process.execPath, cli];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

export function npm(args: readonly string[], cwd: string): string {
  const [file, ...first] = npmCommand();
  return execFileSync(file, [...first, ...args], {
    cwd,
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
