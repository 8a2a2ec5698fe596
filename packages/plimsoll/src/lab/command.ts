import type { StdioOptions } from 'node:child_process';
import { PlimsollError } from '../errors.js';
import { groupMembers, hasEnded, processesWithEnvironment } from '../host/processes.js';
import type { Guardian } from './guardian.js';
import { endOf, killGroup, lastWords, signalProcess, startProcess } from './process.js';
import { until } from './until.js';

export interface CommandEnd {
  readonly code: number | null;
  /** For messages: `exit code 3`, `signal SIGKILL`; with the last line of its standard error where it is read. */
  readonly text: string;
  /** By `performance.now()`. */
  readonly atMs: number;
}

export interface RunningCommand {
  readonly pid: number;
  readonly ended: Promise<CommandEnd>;
  /** How it ended; `null` while it runs. */
  end(): CommandEnd | null;
  /** Ends its group, and meant processes with a mark in their environment: by the signal, after a while by SIGKILL. */
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
  /** No input and no output; the last line of standard error becomes part of how it ended. */
  'last-words': ['ignore', 'ignore', 'pipe'],
} satisfies Record<string, StdioOptions>;
export type Output = keyof typeof OUTPUT;

/** NODE_OPTIONS for a command whose Node processes load a file before anything else, in addition to our options. */
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
  const child = await startProcess(command, env, OUTPUT[stdout]).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'there is no such command' : cause.message;
    const text = `cannot start ${JSON.stringify(command[0])}: ${why}`;
    throw new PlimsollError('PLIMSOLL_TARGET_FAILED', text, { cause });
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
      const marked = (): number[] =>
        processesWithEnvironment(marks).filter((member) => !hasEnded(member) && isMeant(member));
      // Each once: many programs end at once, without clean-up, at a second signal.
      const group = new Set(groupMembers(pid));
      signalProcess(-pid, signal);
      for (const member of marked()) if (!group.has(member)) signalProcess(member, signal);
      await until(() => end !== null && marked().length === 0, GRACE_MS);
      for (const member of marked()) signalProcess(member, 'SIGKILL');
      await close();
    },
    close,
  };
}
