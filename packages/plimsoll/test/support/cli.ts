import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The command line. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

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
  readonly command?: readonly string[];
  /** Called with the running process and its temporary directory. */
  readonly meanwhile?: (child: ChildProcess, directory: string) => void;
}

/** Run the command line with a temporary directory of its own. */
export async function plimsoll(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  const [command = process.execPath, ...rest] = [...(options.command ?? []), process.execPath, MAIN, ...args];
  const child = spawn(command, rest, {
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

/** By name: arguments, the exit code, and what is said. */
export type Refusals = Record<string, readonly [args: readonly string[], code: number, says: RegExp]>;

/** A test for each: one clear line, the right exit code, and nothing left behind. */
export function testRefusals(
  cases: Refusals,
  before: readonly string[],
  after: readonly string[] = [],
): void {
  for (const [what, [args, code, says]] of Object.entries(cases))
    test(`${what}: a clear line and exit code ${code}`, async () => {
      const run = await plimsoll([...before, ...args, ...after]);
      assert.equal(run.code, code, run.stderr);
      assert.match((run.stderr + run.stdout).replaceAll(/\s+/g, ' '), says);
      assert.doesNotMatch(run.stderr, /^\s+at /m, 'no stack trace for a mistake of the user');
      assert.deepEqual(run.left, []);
    });
}

async function read(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) text += chunk;
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

/** Names of everything under a directory whose contents come and go; none while some of them go. */
export function everythingIn(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}

/** Whether a recorder has written some jobs, under the temporary directory of a run: then the app runs. */
export const hasRecorded = (directory: string): boolean =>
  everythingIn(directory)
    .filter((file) => file.endsWith('.jsonl'))
    .some((file) => readFileSync(join(directory, file), 'utf8').includes('"events"'));

/** Processes whose environment or command line mentions `mark`, by /proc. */
export function processesWith(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => mentions(pid, mark))
    .map(Number);
}

function mentions(pid: string, mark: string): boolean {
  try {
    return ['environ', 'cmdline'].some((file) => readText(`/proc/${pid}/${file}`).includes(mark));
  } catch {
    return false;
  }
}

const readText = (path: string): string => readFileSync(path, 'latin1');
