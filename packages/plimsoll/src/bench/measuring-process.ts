import { mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import { type Ending, LiveProcess, serving } from '../lab/fresh-process.js';
import type { Guardian, Supervision } from '../lab/guardian.js';
import { lastWords } from '../lab/process.js';
import type { Random } from '../stats/random.js';
import type { WorkloadSpec } from '../workloads/prepare.js';
import type { Answer, Job, Measurement, Order, Readiness } from './messages.js';

export interface MeasuringRequest {
  readonly spec: WorkloadSpec;
  /** Of its pool at the start. */
  readonly size: number;
  /** Its pool is to be resized between rounds, to that size at the most. */
  readonly resizes: boolean;
  /** The experiment's temporary directory; the process gets one of its own inside. */
  readonly directory: string;
  readonly names: readonly string[];
  /** Command that the process is started through, such as `nsenter …`; empty for none. */
  readonly prefix: readonly string[];
  /** After so long its start, or a round, counts as hung. */
  readonly deadlineMs: number;
}

const MEASURE = new URL('./child/measure.js', import.meta.url);

/**
 * A process that measures a workload round by round, at one size or at several, and waits in between. Each has a directory of its
 * own, the length of whose name differs from process to process, as that of the environment does, for the same reason.
 */
export class MeasuringProcess {
  readonly #live: LiveProcess<Answer>;
  readonly #request: MeasuringRequest;
  readonly #guardian: Guardian;
  readonly #signal: AbortSignal;
  readonly #directory: string;
  #readiness: Readiness | null = null;
  /** For messages. */
  #size: number;

  private constructor(
    live: LiveProcess<Answer>,
    request: MeasuringRequest,
    { guardian, signal }: Supervision,
    directory: string,
  ) {
    this.#live = live;
    this.#request = request;
    this.#guardian = guardian;
    this.#signal = signal;
    this.#directory = directory;
    this.#size = request.size;
  }

  /**
   * Start it and wait until it has warmed up.
   *
   * @throws {PlimsollError} naming what went wrong; the process and its directory are gone by then.
   */
  static async open(
    request: MeasuringRequest,
    supervision: Supervision,
    random: Random,
  ): Promise<MeasuringProcess> {
    const { guardian, signal } = supervision;
    signal.throwIfAborted();
    const directory = mkdtempSync(join(request.directory, `run-${'x'.repeat(random.integer(1, 64))}-`));
    const command = serving(MEASURE, request.prefix);
    const env = { UV_THREADPOOL_SIZE: String(request.size) };
    let live: LiveProcess<Answer>;
    try {
      live = await LiveProcess.start<Answer>({ command, env }, guardian, random);
    } catch (error) {
      guardian.remove(directory);
      throw new PlimsollError(
        'PLIMSOLL_WORKLOAD_FAILED',
        `cannot start a process to measure in: ${(error as Error).message}`,
        { cause: error },
      );
    }
    const opened = new MeasuringProcess(live, request, supervision, directory);
    try {
      await opened.#prepare();
      return opened;
    } catch (error) {
      await opened.end();
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    const { spec, size, resizes, names } = this.#request;
    const job: Job = { spec, size, resizes, names, directory: this.#directory, cwd: process.cwd() };
    this.#readiness = await this.#ask(job, 'ready');
  }

  get readiness(): Readiness {
    return this.#readiness as Readiness;
  }

  get pid(): number {
    return this.#live.pid;
  }

  /** @throws {PlimsollError} naming what went wrong; an AbortError when it was interrupted. */
  async round(repetitions: number, size: number): Promise<Measurement> {
    this.#size = size;
    return (await this.#ask({ do: 'round', repetitions, size } satisfies Order, 'round')).measurement;
  }

  /** Let the workload clean up, and end the process. @throws {PlimsollError} when the clean-up fails. */
  async close(): Promise<void> {
    try {
      await this.#ask({ do: 'close' } satisfies Order, 'closed');
    } finally {
      await this.end();
    }
  }

  /** Kill it, and remove its directory. */
  async end(): Promise<void> {
    await this.#live.end();
    this.#guardian.remove(this.#directory);
  }

  async #ask<Type extends Answer['type']>(
    order: object,
    expected: Type,
  ): Promise<Extract<Answer, { type: Type }>> {
    const ending = await this.#live.ask(order, this.#request.deadlineMs, this.#signal);
    if (ending.kind === 'answer' && ending.answer.type === expected)
      return ending.answer as Extract<Answer, { type: Type }>;
    throw failureOf(ending, { ...this.#request, size: this.#size }, this.#directory);
  }
}

function failureOf(ending: Ending<Answer>, request: MeasuringRequest, directory: string): Error {
  const what = `${nameOf(request.spec)} at size ${request.size}`;
  switch (ending.kind) {
    case 'aborted':
      return new DOMException('interrupted', 'AbortError');
    case 'deadline':
      return new PlimsollError(
        'PLIMSOLL_WORKLOAD_HUNG',
        `${what} did not finish within ${request.deadlineMs / 1000} s; give it fewer or cheaper operations (operations, scale), or more time (deadline)`,
      );
    case 'exit':
      return exitError(ending, what, request.size);
    case 'answer':
      return badAnswer(ending.answer, what, request, directory);
  }
}

function exitError(
  { code, signal, started, stderr }: Extract<Ending<Answer>, { kind: 'exit' }>,
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

function badAnswer(
  answer: Answer,
  what: string,
  request: MeasuringRequest,
  directory: string,
): PlimsollError {
  switch (answer.type) {
    case 'refused':
      return new PlimsollError(
        'PLIMSOLL_POOL_SIZE_MISMATCH',
        `${what}: the process had ${answer.observedThreads} pool threads instead of ${request.size}; ` +
          'something that it loads (NODE_OPTIONS?) sets UV_THREADPOOL_SIZE or uses the pool first',
      );
    case 'bad-module':
      return new PlimsollError(
        'PLIMSOLL_BAD_WORKLOAD',
        `${nameOf(request.spec)} is not a workload: ${answer.message}`,
      );
    case 'never-settles':
      return new PlimsollError(
        'PLIMSOLL_WORKLOAD_HUNG',
        `${what} can never finish: its promise is pending and nothing is left that could settle it`,
      );
    case 'failed':
      return failureError(answer, what, request, directory);
    default:
      return new PlimsollError('PLIMSOLL_WORKLOAD_FAILED', `${what}: its process answered out of turn`);
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
  request: MeasuringRequest,
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
