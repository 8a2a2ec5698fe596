import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Random } from '../stats/random.js';
import type { Guardian } from './guardian.js';
import type { FreshAnswer, Outcome } from './messages.js';
import { killGroup, startGroup } from './process-group.js';

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

const STDERR_KEPT = 8192;
const LAST_WORDS_MS = 200;

const ENTRY = fileURLToPath(new URL('./child/main.cjs', import.meta.url));

/**
 * The command of a process that lists its threads before and after the first use of its pool and hands both lists to
 * `serve` of a module.
 *
 * @param prefix command that it is started through, such as `nsenter …`.
 */
export function serving(module: URL, prefix: readonly string[] = []): [string, ...string[]] {
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, ENTRY, module.href];
  return [command, ...rest];
}

/** Start a process, give it its job, take its one answer, and end it and whatever it started. */
export async function converseWithFreshProcess<Answer extends { readonly type: string }>(
  request: FreshProcess,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Ending<Exclude<Answer, { type: 'started' }>>> {
  let child: Awaited<ReturnType<typeof startGroup>>;
  try {
    child = await startGroup(request.command, request.env, ['ignore', 'ignore', 'pipe', 'ipc'], random);
  } catch (error) {
    return { kind: 'not-started', error: error as Error };
  }
  guardian.watch(child.pid);
  try {
    return await converse<Answer>(child, request, signal);
  } finally {
    await killGroup(child);
    guardian.forget(child.pid);
  }
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

/**
 * One run in a process of its own, whose entry calls `answerOnce`.
 *
 * @throws {DOMException} AbortError when it was interrupted.
 */
export async function askFreshProcess(
  request: FreshProcess,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted();
  const ending = await converseWithFreshProcess<FreshAnswer>(request, guardian, random, signal);
  return outcomeOf(ending, request.deadlineMs);
}

function outcomeOf(ending: Ending<Outcome>, deadlineMs: number): Outcome {
  switch (ending.kind) {
    case 'answer':
      return ending.answer;
    case 'aborted':
      throw new DOMException('interrupted', 'AbortError');
    case 'deadline':
      return { type: 'failed', reason: `not finished after ${deadlineMs / 1000} s` };
    case 'not-started':
      throw ending.error;
    case 'exit': {
      const how = ending.signal ?? `code ${ending.code}`;
      const said = ending.stderr.trim().split('\n').at(-1)?.slice(0, 200);
      return { type: 'failed', reason: `its process ended (${how})${said ? `: ${said}` : ''}` };
    }
  }
}
