import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { readGroupUsage } from '../host/group-usage.js';
import { hasEnded, processesWithEnvironment } from '../host/processes.js';
import type { Guardian } from './guardian.js';

export interface CommandEnd {
  readonly code: number | null;
  /** For messages: `exit code 3`, `signal SIGKILL`. */
  readonly text: string;
}

/** A command of the user that we started, in a group of its own. */
export interface RunningCommand {
  readonly ended: Promise<CommandEnd>;
  /** How it ended; `null` while it runs. */
  end(): CommandEnd | null;
  /** End its group, and whatever has one of these texts in its environment: by the signal, after a while by SIGKILL. */
  stop(signal: 'SIGINT' | 'SIGTERM', marks: readonly string[]): Promise<void>;
  /** Nothing of it runs any more. */
  close(): Promise<void>;
}

const GRACE_MS = 5_000;
/** Where the standard output of a command goes: to ours, to our standard error, or nowhere. */
export type Output = 'stdout' | 'stderr' | 'nowhere';

const OUTPUT = { stdout: 'inherit', stderr: 2, nowhere: 'ignore' } as const;

/**
 * Start a command with its input and output where ours are.
 *
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when it cannot be started.
 */
export async function startCommand(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  stdout: Output,
  guardian: Guardian,
): Promise<RunningCommand> {
  const child = await start(command, env, OUTPUT[stdout]);
  const { pid } = child;
  guardian.watch(pid);
  let end: CommandEnd | null = null;
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      end = { code, text: signal === null ? `exit code ${code}` : `signal ${signal}` };
      resolve(end);
    });
  });
  const close = async (): Promise<void> => {
    kill(-pid, 'SIGKILL');
    await ended;
    guardian.forget(pid);
  };
  return {
    ended,
    end: () => end,
    async stop(signal, marks) {
      const left = (): number[] => processesWithEnvironment(marks).filter((other) => !hasEnded(other));
      // Each once: to many programs a second signal means at once.
      const group = new Set(readGroupUsage(pid)?.pids);
      kill(-pid, signal);
      for (const other of left()) if (!group.has(other)) kill(other, signal);
      const until = performance.now() + GRACE_MS;
      while ((end === null || left().length > 0) && performance.now() < until) await sleep(20);
      for (const other of left()) kill(other, 'SIGKILL');
      await close();
    },
    close,
  };
}

async function start(
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  stdout: 'inherit' | 'ignore' | 2,
): Promise<ChildProcess & { readonly pid: number }> {
  // A group of its own: the terminal's Ctrl-C comes to us first, and the recorders finish before the command is told.
  const child = spawn(file, args, {
    detached: true,
    stdio: ['inherit', stdout, stdout === 'ignore' ? 'ignore' : 'inherit'],
    env: { ...process.env, ...env },
  });
  if (child.pid !== undefined) {
    child.on('error', () => {});
    return child as ChildProcess & { readonly pid: number };
  }
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve));
  const why = error.code === 'ENOENT' ? 'there is no such command' : error.message;
  throw new PlimsollError('PLIMSOLL_TARGET_FAILED', `cannot start ${JSON.stringify(file)}: ${why}`, {
    cause: error,
  });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, constants.signals[signal]);
  } catch {
    // It has ended.
  }
}
