import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import type { Random } from '../stats/random.js';
import type { WorkloadSpec } from '../workloads/prepare.js';
import { converseWithFreshProcess, type Ending, serving } from './fresh-process.js';
import type { Guardian } from './guardian.js';
import type { Answer, Job, Measurement } from './messages.js';
import { lastWords } from './process-group.js';

export interface RunRequest {
  readonly spec: WorkloadSpec;
  readonly size: number;
  readonly rounds: number;
  /** The experiment's temporary directory; the run gets one of its own inside. */
  readonly directory: string;
  readonly names: readonly string[];
  /** Command that the process is started through, such as `nsenter …`; empty for none. */
  readonly prefix: readonly string[];
  /** After so long the run counts as hung and is killed. */
  readonly deadlineMs: number;
}

const MEASURE = new URL('./child/measure.js', import.meta.url);
type LastAnswer = Exclude<Answer, { type: 'started' }>;

/**
 * Measure one workload at one pool size in a fresh process.
 *
 * The length of the directory's name differs from run to run, as that of the environment does, for the same reason.
 *
 * @throws {PlimsollError} naming what went wrong; the process and its directory are gone by then.
 */
export async function runInFreshProcess(
  request: RunRequest,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Measurement> {
  signal.throwIfAborted();
  const directory = join(request.directory, `run-${'x'.repeat(random.integer(1, 64))}`);
  mkdirSync(directory);
  const job: Job = {
    spec: request.spec,
    size: request.size,
    rounds: request.rounds,
    directory,
    names: request.names,
    cwd: process.cwd(),
  };
  try {
    const ending = await converseWithFreshProcess<Answer>(
      {
        command: serving(MEASURE, request.prefix),
        env: { UV_THREADPOOL_SIZE: String(request.size) },
        job,
        deadlineMs: request.deadlineMs,
      },
      guardian,
      random,
      signal,
    );
    return judge(ending, request, directory);
  } finally {
    guardian.remove(directory);
  }
}

function judge(ending: Ending<LastAnswer>, request: RunRequest, directory: string): Measurement {
  const what = `${nameOf(request.spec)} at size ${request.size}`;
  switch (ending.kind) {
    case 'not-started':
      throw new PlimsollError(
        'PLIMSOLL_WORKLOAD_FAILED',
        `cannot start a process to measure in: ${ending.error.message}`,
        { cause: ending.error },
      );
    case 'aborted':
      throw new DOMException('interrupted', 'AbortError');
    case 'deadline':
      throw new PlimsollError(
        'PLIMSOLL_WORKLOAD_HUNG',
        `${what} did not finish within ${request.deadlineMs / 1000} s; give it fewer or cheaper operations (operations, scale), or more time (deadline)`,
      );
    case 'exit':
      throw exitError(ending, what, request.size);
    case 'answer':
      return judgeAnswer(ending.answer, what, request, directory);
  }
}

function exitError(
  { code, signal, started, stderr }: Extract<Ending<LastAnswer>, { kind: 'exit' }>,
  what: string,
  size: number,
): PlimsollError {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const said = lastWords(stderr);
  // libuv aborts the process when it cannot create a thread of its pool (threadpool.c, init_threads).
  if (!started && signal === 'SIGABRT')
    return new PlimsollError(
      'PLIMSOLL_POOL_NOT_CREATED',
      `a pool of ${size} threads could not be created here (${how}): a limit on processes or memory is reached ` +
        '(pids.max, ulimit -u); ask for smaller sizes or raise the limit',
    );
  if (!started)
    return new PlimsollError(
      'PLIMSOLL_WORKLOAD_FAILED',
      `${what}: its process did not start (${how})${said}`,
    );
  return new PlimsollError(
    'PLIMSOLL_WORKLOAD_EXITED',
    `${what} ended its process (${how}) before it had finished; a workload must return, not exit${said}`,
  );
}

function judgeAnswer(answer: LastAnswer, what: string, request: RunRequest, directory: string): Measurement {
  switch (answer.type) {
    case 'measured':
      return answer.measurement;
    case 'refused':
      throw new PlimsollError(
        'PLIMSOLL_POOL_SIZE_MISMATCH',
        `${what}: the process had ${answer.observedThreads} pool threads instead of ${request.size}; ` +
          'something that it loads (NODE_OPTIONS?) sets UV_THREADPOOL_SIZE or uses the pool first',
      );
    case 'bad-module':
      throw new PlimsollError(
        'PLIMSOLL_BAD_WORKLOAD',
        `${nameOf(request.spec)} is not a workload: ${answer.message}`,
      );
    case 'never-settles':
      throw new PlimsollError(
        'PLIMSOLL_WORKLOAD_HUNG',
        `${what} can never finish: its promise is pending and nothing is left that could settle it`,
      );
    case 'failed':
      throw failureError(answer, what, request, directory);
  }
}

const HINTS: Record<string, string> = {
  ENOSPC: 'the disk is full; set TMPDIR to a larger one, or lower operations or scale',
  EMFILE: 'too many files are open at once; lower operations or raise ulimit -n',
  ENFILE: 'too many files are open on this machine; lower operations',
  EACCES: 'its directory cannot be written to; set TMPDIR to one that can',
  EROFS: 'its directory is read-only; set TMPDIR to one that can be written to',
  ENOTFOUND: 'names cannot be resolved here; set dns to local or hosts',
  EAI_AGAIN: 'the resolver does not answer; set dns to local or hosts',
};

function failureError(
  failed: Extract<Answer, { type: 'failed' }>,
  what: string,
  request: RunRequest,
  directory: string,
): PlimsollError {
  const hint = failed.code === null ? undefined : HINTS[failed.code];
  const text = failed.message.replaceAll(directory, '<directory>');
  if (request.spec.kind === 'module' && failed.phase === 'load')
    return new PlimsollError(
      'PLIMSOLL_BAD_WORKLOAD',
      `${nameOf(request.spec)} cannot be loaded: ${failed.name}: ${text}`,
    );
  return new PlimsollError(
    'PLIMSOLL_WORKLOAD_FAILED',
    `${what} failed: ${failed.name}: ${text}${hint === undefined ? '' : ` (${hint})`}`,
  );
}

/** What a workload is called in messages and tables. */
export function nameOf(spec: WorkloadSpec): string {
  return spec.kind === 'built-in' ? spec.name : basename(fileURLToPath(spec.url));
}
