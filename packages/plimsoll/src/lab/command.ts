import type { StdioOptions } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { groupMembers, hasEnded, processesWithEnvironment } from '../host/processes.js';
import type { Guardian } from './guardian.js';
import { endOf, killGroup, lastWords, signalProcess, startProcess } from './process.js';

export interface CommandEnd {
  readonly code: number | null;
  /** For messages: `exit code 3`, `signal SIGKILL`; where its standard error is read, with the last line of that. */
  readonly text: string;
  /** When its process had ended, by `performance.now()`. */
  readonly atMs: number;
}

export interface RunningCommand {
  readonly pid: number;
  readonly ended: Promise<CommandEnd>;
  /** How it ended; `null` while it runs. */
  end(): CommandEnd | null;
  /**
   * End its group, and whatever has one of these texts in its environment: by the signal, after a while by SIGKILL.
   *
   * @param isMeant selects among the latter, which may include unrelated daemons.
   */
  stop(
    signal: 'SIGINT' | 'SIGTERM',
    marks: readonly string[],
    isMeant?: (pid: number) => boolean,
  ): Promise<void>;
  close(): Promise<void>;
}

const GRACE_MS = 5_000;
/** Where the standard output of a command goes. */
const OUTPUT = {
  stdout: ['inherit', 'inherit', 'inherit'],
  stderr: ['inherit', 2, 'inherit'],
  nowhere: ['inherit', 'ignore', 'ignore'],
  /** It has no input and no output, and the end of its standard error is part of how it ended. */
  'last-words': ['ignore', 'ignore', 'pipe'],
} satisfies Record<string, StdioOptions>;
export type Output = keyof typeof OUTPUT;

/** NODE_OPTIONS of a command into whose Node processes a file is loaded before anything else; what is in ours stays. */
export function preloading(file: string): { NODE_OPTIONS: string } {
  const preload = `--require ${JSON.stringify(file)}`;
  return { NODE_OPTIONS: [process.env.NODE_OPTIONS, preload].filter(Boolean).join(' ') };
}

export async function startCommand(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  stdout: Output,
  guardian: Guardian,
): Promise<RunningCommand> {
  const child = await startProcess(command, env, OUTPUT[stdout]).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such command' : error.message;
    const text = `cannot start ${JSON.stringify(command[0])}: ${why}`;
    throw new PlimsollError('PLIMSOLL_TARGET_FAILED', text, { cause: error });
  });
  const { pid } = child;
  guardian.watch(pid);
  let end: CommandEnd | null = null;
  const ended = endOf(child).then(({ code, signal, atMs, stderr }) => {
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    end = { code, text: `${how}${lastWords(stderr)}`, atMs };
    return end;
  });
  const close = async (): Promise<void> => {
    if (!(await killGroup(child))) return;
    await ended;
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
      const group = new Set(groupMembers(pid));
      signalProcess(-pid, signal);
      for (const other of left()) if (!group.has(other)) signalProcess(other, signal);
      const until = performance.now() + GRACE_MS;
      while ((end === null || left().length > 0) && performance.now() < until) await sleep(20);
      for (const other of left()) signalProcess(other, 'SIGKILL');
      await close();
    },
    close,
  };
}
