import { spawn } from 'node:child_process';
import type { Guardian } from '@plimsoll/lab';
import type { Command } from './setup.js';

export interface Output {
  readonly argv: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly ms: number;
}

const TIMEOUT_MS = 20_000;

/** What left the group by setsid() may hold the pipes of a command that has ended: no more is read after this. */
const DRAIN_MS = 2000;

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly guardian: Guardian;
  readonly signal: AbortSignal;
}

/** Runs a command in a process group of its own, which is ended with it: nothing that it starts outlives it. */
export function runCommand(command: Command, { cwd, env, guardian, signal }: Place): Promise<Output> {
  const { argv, timeoutMs = TIMEOUT_MS } = command;
  const [file, ...args] = argv;
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, ...command.env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid } = child;
    if (pid !== undefined) guardian.watch(pid);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => {
        output[name] += text;
      });
    }
    let timedOut = false;
    const end = (): void => killGroup(pid);
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    let drainTimer: NodeJS.Timeout | undefined;
    signal.addEventListener('abort', end);
    // 'close' follows. The message names the program.
    child.on('error', (error) => {
      output.stderr += `${error}\n`;
    });
    child.on('exit', () => {
      end();
      drainTimer = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS);
    });
    child.on('close', (exitCode, by) => {
      clearTimeout(timer);
      clearTimeout(drainTimer);
      signal.removeEventListener('abort', end);
      if (pid !== undefined) guardian.forget(pid);
      resolve({ argv, ...output, exitCode, signal: by, timedOut, ms: performance.now() - started });
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
