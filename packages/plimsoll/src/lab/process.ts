import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { printable } from '../host/printable.js';
import type { Random } from '../stats/random.js';

export type Started = ChildProcess & { readonly pid: number };

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly atMs: number;
  readonly stderr: string;
}

const LONGEST_PADDING = 4096;
const STDERR_KEPT = 8192;
const LAST_WORDS_MS = 200;
/** A process that survives SIGKILL this long waits in the kernel, or is not ours to end. */
const KILL_MS = 10_000;

export async function startProcess(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  stdio: NonNullable<SpawnOptions['stdio']>,
): Promise<Started> {
  const child = spawn(command, args, { stdio, detached: true, env: { ...process.env, ...env } });
  if (child.pid === undefined) throw await new Promise<Error>((resolve) => child.once('error', resolve));
  child.on('error', () => {});
  return child as Started;
}

/**
 * Start a process that is measured. Its environment has a random length, which moves the stack and so changes the speed of
 * everything (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!", 2009).
 */
export const startGroup = (
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  stdio: NonNullable<SpawnOptions['stdio']>,
  random: Random,
): Promise<Started> =>
  startProcess(command, { ...env, PLIMSOLL_PADDING: 'x'.repeat(random.integer(0, LONGEST_PADDING)) }, stdio);

/** Resolves when the process has ended and its last words were read. Call this right after the start. */
export function endOf(child: Started): Promise<ProcessEnd> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const atMs = performance.now();
      const finish = (): void => resolve({ code, signal, atMs, stderr });
      if (child.stderr === null) return finish();
      // What it wrote may still be in pipes, which are read after timers; a process that it left behind may hold them open.
      child.once('close', finish);
      setTimeout(() => setImmediate(finish), LAST_WORDS_MS);
    });
  });
}

/** Signal a process, or a group by its negative number; it is no error when it has ended. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended, or is not ours.
    return false;
  }
}

/** Kill the group of a process, and wait until the process is gone. @returns false when it is still there. */
export async function killGroup(child: Started, patienceMs = KILL_MS): Promise<boolean> {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const exit = hasEnded() || new Promise((resolve) => child.once('exit', resolve));
  signalProcess(-child.pid, 'SIGKILL');
  const patience = new AbortController();
  await Promise.race([exit, sleep(patienceMs, null, { signal: patience.signal }).catch(() => {})]);
  patience.abort();
  child.stderr?.destroy();
  return hasEnded();
}

/** Lines at the end of a Node error report that do not say what happened. */
const NO_WORDS = /^\s*$|^\s+at |^Node\.js v\d|^[\s{}[\]^~]+$/;

/** The last meaningful line, as a clause for a message; control characters are escaped. */
export function lastWords(stderr: string): string {
  const line = stderr.split('\n').findLast((text) => !NO_WORDS.test(text));
  return line === undefined ? '' : `; it last wrote: ${printable(line.trim().slice(0, 200))}`;
}
