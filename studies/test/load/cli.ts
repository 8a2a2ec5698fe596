import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/load/cli/main.js', import.meta.url));

/** Path of a fixture. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the run left in its temporary directory. */
  readonly left: string[];
}

export interface CliOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with the running process and its temporary directory. */
  readonly meanwhile?: (child: ChildProcess, directory: string) => void;
}

/** Run `load …` or `serve …` as the scripts of npm do, with a temporary directory of its own. */
export async function command(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: directory, NO_COLOR: '1', ...options.env },
  });
  options.meanwhile?.(child, directory);
  const [stdout, stderr, code] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  const left = existsSync(directory) ? readdirSync(directory) : [];
  rmSync(directory, { recursive: true, force: true });
  return { code, stdout, stderr, left };
}

async function read(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** Wait until `condition` holds; fails after `ms`. */
export async function until(condition: () => boolean, ms = 120_000, what = String(condition)): Promise<void> {
  const end = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`still not so after ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Processes whose environment or command line mentions `mark`, by /proc. */
export function processesWith(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => mentions(pid, mark))
    .map(Number);
}

function mentions(pid: string, mark: string): boolean {
  try {
    return ['environ', 'cmdline'].some((file) =>
      readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(mark),
    );
  } catch {
    return false;
  }
}
