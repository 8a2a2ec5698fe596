import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { readGroupUsage } from '../host/group-usage.js';
import { hasEnded, processesWithEnvironment } from '../host/processes.js';
import type { Guardian } from './guardian.js';
import { lastWords } from './process-group.js';

export interface CommandEnd {
  readonly code: number | null;
  /** For messages: `exit code 3`, `signal SIGKILL`; where its standard error is read, with the last line of that. */
  readonly text: string;
  /** When its process had ended, by `performance.now()`. */
  readonly atMs: number;
}

/** A command of the user that we started, in a group of its own. */
export interface RunningCommand {
  readonly pid: number;
  readonly ended: Promise<CommandEnd>;
  /** How it ended; `null` while it runs. */
  end(): CommandEnd | null;
  /**
   * End its group, and whatever has one of these texts in its environment: by the signal, after a while by SIGKILL.
   *
   * @param isMeant of the latter, which: there may be somebody's daemons among them.
   */
  stop(
    signal: 'SIGINT' | 'SIGTERM',
    marks: readonly string[],
    isMeant?: (pid: number) => boolean,
  ): Promise<void>;
  /** Nothing of it runs any more. */
  close(): Promise<void>;
}

const GRACE_MS = 5_000;
/**
 * Where the standard output of a command goes: to ours, to our standard error, or nowhere. With `last-words` it has no input
 * and no output either, and the end of what it writes to its standard error is part of how it ended.
 */
export type Output = 'stdout' | 'stderr' | 'nowhere' | 'last-words';

const OUTPUT = {
  stdout: ['inherit', 'inherit', 'inherit'],
  stderr: ['inherit', 2, 'inherit'],
  nowhere: ['inherit', 'ignore', 'ignore'],
  'last-words': ['ignore', 'ignore', 'pipe'],
} satisfies Record<Output, StdioOptions>;

const STDERR_KEPT = 8192;
const LAST_WORDS_MS = 200;

/**
 * Start a command.
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
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      const atMs = performance.now();
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      const tell = (): void => {
        end ??= { code, text: `${how}${lastWords(stderr)}`, atMs };
        resolve(end);
      };
      if (child.stderr === null) return tell();
      // Its last words may still be in the pipe; a process that it left behind may hold the pipe open for ever.
      child.once('close', tell);
      setTimeout(tell, LAST_WORDS_MS);
    });
  });
  const close = async (): Promise<void> => {
    kill(-pid, 'SIGKILL');
    await ended;
    child.stderr?.destroy();
    guardian.forget(pid);
  };
  return {
    pid,
    ended,
    end: () => end,
    async stop(signal, marks, isMeant = () => true) {
      const left = (): number[] =>
        processesWithEnvironment(marks).filter((other) => !hasEnded(other) && isMeant(other));
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
  stdio: StdioOptions,
): Promise<ChildProcess & { readonly pid: number }> {
  // A group of its own: the terminal's Ctrl-C comes to us first, and the recorders finish before the command is told.
  const child = spawn(file, args, {
    detached: true,
    stdio,
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
