import { mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import { type Ending, LiveProcess, serving, sizeMismatch } from '../lab/fresh-process.js';
import type { Supervision } from '../lab/guardian.js';
import { lastWords } from '../lab/process.js';
import type { Random } from '../stats/random.js';
import type { Answer, Job, Measurement, Order, Readiness } from './messages.js';

export interface MeasuringRequest extends Omit<Job, 'cwd'> {
  /** The experiment's temporary directory; the process gets one of its own inside. */
  readonly directory: string;
  readonly prefix: readonly string[];
  readonly deadlineMs: number;
}

const MEASURE = new URL('./child/measure.js', import.meta.url);

export interface MeasuringProcess {
  readonly pid: number;
  readonly readiness: Readiness;
  round(repetitions: number, size: number): Promise<Measurement>;
  /** Let the workload clean up, and end the process. @throws {PlimsollError} when the clean-up fails. */
  close(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Start a process and wait until it has warmed up. The length of its directory's name is random, like that of its environment:
 * where the stack starts must not favour one process.
 */
export async function openMeasuringProcess(
  request: MeasuringRequest,
  { guardian, signal }: Supervision,
  random: Random,
): Promise<MeasuringProcess> {
  signal.throwIfAborted();
  const directory = mkdtempSync(join(request.directory, `run-${'x'.repeat(random.integer(1, 64))}-`));
  const start = serving(MEASURE, request.size, request.prefix);
  const live = await LiveProcess.start<Answer>(start, guardian, random).catch((error: unknown) => {
    guardian.remove(directory);
    throw error;
  });
  /** Of the last round. */
  let { size } = request;
  const ask = async <Type extends Answer['type']>(
    order: Job | Order,
    expected: Type,
  ): Promise<Extract<Answer, { type: Type }>> => {
    const ending = await live.ask(order, request.deadlineMs, signal);
    if (ending.kind === 'answer' && ending.answer.type === expected)
      return ending.answer as Extract<Answer, { type: Type }>;
    throw failureOf(ending, { ...request, size, directory });
  };
  const end = async (): Promise<void> => {
    await live.end();
    guardian.remove(directory);
  };
  try {
    const { spec, resizes, names } = request;
    const readiness = await ask({ spec, size, resizes, names, directory, cwd: process.cwd() }, 'ready');
    return {
      ...{ pid: live.pid, readiness, end },
      async round(repetitions, roundSize) {
        size = roundSize;
        return (await ask({ do: 'round', repetitions, size }, 'round')).measurement;
      },
      async close() {
        try {
          await ask({ do: 'close' }, 'closed');
        } finally {
          await end();
        }
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** @param request with the size of the order and the directory of the process. */
function failureOf(ending: Ending<Answer>, request: MeasuringRequest): Error {
  const { spec, size, deadlineMs, directory } = request;
  const name = spec.kind === 'built-in' ? spec.name : basename(fileURLToPath(spec.url));
  const subject = `${name} at size ${size}`;
  if (ending.kind === 'aborted') return new DOMException('interrupted', 'AbortError');
  if (ending.kind === 'exit') return exitError(ending, subject, size);
  if (ending.kind === 'deadline')
    return new PlimsollError(
      'PLIMSOLL_WORKLOAD_HUNG',
      `${subject} did not finish within ${deadlineMs / 1000} s; give it fewer or cheaper operations (operations, scale), or more time (deadline)`,
    );
  const { answer } = ending;
  switch (answer.type) {
    case 'refused':
      return sizeMismatch(subject, answer.observedThreads, size);
    case 'bad-module':
      return new PlimsollError('PLIMSOLL_BAD_WORKLOAD', `${name} is not a workload: ${answer.message}`);
    case 'never-settles':
      return new PlimsollError(
        'PLIMSOLL_WORKLOAD_HUNG',
        `${subject} can never finish: its promise is pending and nothing is left that could settle it`,
      );
    case 'failed': {
      const words = `${answer.name}: ${answer.message.replaceAll(directory, '<directory>')}`;
      if (spec.kind === 'module' && answer.phase === 'load')
        return new PlimsollError('PLIMSOLL_BAD_WORKLOAD', `${name} cannot be loaded: ${words}`);
      const hint = HINTS[answer.code ?? ''] ?? '';
      return new PlimsollError('PLIMSOLL_WORKLOAD_FAILED', `${subject} failed: ${words}${hint}`);
    }
    default:
      return new PlimsollError('PLIMSOLL_WORKLOAD_FAILED', `${subject}: its process answered out of turn`);
  }
}

const HINTS: Record<string, string> = {
  ENOSPC: ' (the disk is full; set TMPDIR to a larger one, or lower operations or scale)',
  EMFILE: ' (too many files are open at once; lower operations or raise ulimit -n)',
};

function exitError(ending: Extract<Ending<never>, { kind: 'exit' }>, subject: string, size: number): Error {
  const { code, signal, started } = ending;
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const words = lastWords(ending.stderr);
  // libuv aborts the process when it cannot create a thread of its pool (threadpool.c, init_threads).
  if (!started && signal === 'SIGABRT')
    return new PlimsollError(
      'PLIMSOLL_POOL_NOT_CREATED',
      `a pool of ${size} threads could not be created here (${how}): a limit on processes or memory is reached (pids.max, ulimit -u); ask for smaller sizes or raise the limit`,
    );
  return started
    ? new PlimsollError(
        'PLIMSOLL_WORKLOAD_EXITED',
        `${subject} ended its process (${how}) before it had finished; a workload must return, not exit${words}`,
      )
    : new PlimsollError('PLIMSOLL_WORKLOAD_FAILED', `${subject}: its process did not start (${how})${words}`);
}
