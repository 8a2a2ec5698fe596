import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../stats/random.js';
import type { Guardian } from './guardian.js';

export interface FreshProcess {
  /** Command and arguments. The process says `{ type: 'started' }` over IPC, is sent its job, and answers once. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly job: object;
  /** After so long the run counts as hung and is killed. */
  readonly deadlineMs: number;
}

/** How a run ended, before anyone says what it means. */
export type Ending<Answer> =
  | { kind: 'answer'; answer: Answer }
  | { kind: 'exit'; code: number | null; signal: NodeJS.Signals | null; started: boolean; stderr: string }
  | { kind: 'deadline' }
  | { kind: 'aborted' }
  | { kind: 'not-started'; error: Error };

const LONGEST_PADDING = 4096;
const STDERR_KEPT = 8192;
const LAST_WORDS_MS = 200;

/**
 * Start a process, give it its job, take its one answer, and end it and whatever it started.
 *
 * The length of the environment differs from run to run, because it moves the stack and with it the speed of
 * everything (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!", 2009).
 */
export async function converseWithFreshProcess<Answer extends { readonly type: string }>(
  request: FreshProcess,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Ending<Exclude<Answer, { type: 'started' }>>> {
  const child = start(request, random);
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    return { kind: 'not-started', error };
  }
  guardian.watch(pid);
  try {
    return await converse<Answer>(child, request, signal);
  } finally {
    await end(child, pid);
    guardian.forget(pid);
  }
}

function start({ command: [command, ...rest], env }: FreshProcess, random: Random): ChildProcess {
  return spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true,
    env: { ...process.env, ...env, PLIMSOLL_PADDING: 'x'.repeat(random.integer(0, LONGEST_PADDING)) },
  });
}

function converse<Answer extends { readonly type: string }>(
  child: ChildProcess,
  { job, deadlineMs }: FreshProcess,
  signal: AbortSignal,
): Promise<Ending<Exclude<Answer, { type: 'started' }>>> {
  return new Promise((resolve) => {
    let stderr = '';
    let started = false;
    const deadline = setTimeout(() => resolve({ kind: 'deadline' }), deadlineMs);
    const abort = (): void => resolve({ kind: 'aborted' });
    signal.addEventListener('abort', abort, { once: true });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    });
    child.on('error', () => {});
    child.on('message', (answer: Answer) => {
      if (answer.type !== 'started')
        return resolve({ kind: 'answer', answer: answer as Exclude<Answer, { type: 'started' }> });
      started = true;
      child.send(job);
    });
    child.once('exit', (code, exitSignal) => {
      clearTimeout(deadline);
      signal.removeEventListener('abort', abort);
      const ended = (): void => resolve({ kind: 'exit', code, signal: exitSignal, started, stderr });
      // Its last words may still be in the pipe; a process that it left behind may hold the pipe open for ever.
      child.once('close', ended);
      setTimeout(ended, LAST_WORDS_MS);
    });
  });
}

/** Kill what is left of the run's process group and wait until the process is gone. */
async function end(child: ChildProcess, pid: number): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it had ended.
  }
  while (child.exitCode === null && child.signalCode === null) await sleep(1);
  child.stderr?.destroy();
}
