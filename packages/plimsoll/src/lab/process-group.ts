import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { printable } from '../host/printable.js';
import type { Random } from '../stats/random.js';

const LONGEST_PADDING = 4096;

/**
 * Start a process that leads a group of its own, so that whatever it starts can be ended with it.
 *
 * The length of the environment differs from run to run, because it moves the stack and with it the speed of
 * everything (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!", 2009).
 *
 * @throws whatever stopped it from being started; else the process has an id.
 */
export async function startGroup(
  [command, ...rest]: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  stdio: NonNullable<SpawnOptions['stdio']>,
  random: Random,
): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(command, rest, {
    stdio,
    detached: true,
    env: { ...process.env, ...env, PLIMSOLL_PADDING: 'x'.repeat(random.integer(0, LONGEST_PADDING)) },
  });
  if (child.pid === undefined) throw await new Promise<Error>((resolve) => child.once('error', resolve));
  child.on('error', () => {});
  return child as ChildProcess & { readonly pid: number };
}

/** Kill what is left of a process's group and wait until the process is gone. */
export async function killGroup(child: ChildProcess & { readonly pid: number }): Promise<void> {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of it had ended.
  }
  while (child.exitCode === null && child.signalCode === null) await sleep(1);
  child.stderr?.destroy();
}

/** Lines that end a report of Node without saying what happened. */
const NO_WORDS = /^\s*$|^\s+at |^Node\.js v\d|^[\s{}[\]^~]+$/;

/** The last line of a process that says something, as a clause for a message; control characters are escaped. */
export function lastWords(stderr: string): string {
  const line = stderr.split('\n').findLast((one) => !NO_WORDS.test(one));
  return line === undefined ? '' : `; it last wrote: ${printable(line.trim().slice(0, 200))}`;
}
