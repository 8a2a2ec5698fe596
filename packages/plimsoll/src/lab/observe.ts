import { PlimsollError } from '../errors.js';
import type { Random } from '../stats/random.js';
import { LiveProcess, serving } from './fresh-process.js';
import type { Guardian } from './guardian.js';

/** What every process that observes itself is told. */
export interface ObservationJob {
  readonly size: number;
  /** Working directory: entering a mount namespace loses it. */
  readonly cwd: string;
}

/** What every such process may answer instead of what it was asked. */
export type ObservationAnswer =
  | { readonly type: 'started' }
  | { readonly type: 'refused'; readonly observedThreads: number }
  | { readonly type: 'bad-module'; readonly message: string }
  | { readonly type: 'exited'; readonly code: number };

export interface ObservationRequest<Job extends ObservationJob> {
  /** What is observed, for messages. */
  readonly name: string;
  /** URL of the module that serves the job, with `serveObservation`. */
  readonly module: URL;
  /** Command that the process is started through; empty for none. */
  readonly prefix: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly job: Job;
  readonly deadlineMs: number;
}

/** What came out of it: an answer, or how the process was lost. */
export type Observed<Answer> =
  | { readonly kind: 'answer'; readonly answer: Exclude<Answer, ObservationAnswer> }
  | { readonly kind: 'exited'; readonly how: string }
  | { readonly kind: 'deadline' };

/**
 * Observe something in a fresh process with a pool of `job.size` threads.
 *
 * @throws {PlimsollError} when the process cannot be had, has another pool size, or cannot load the user's module.
 */
export async function observe<Job extends ObservationJob, Answer extends { readonly type: string }>(
  { name, module, prefix, env, job, deadlineMs }: ObservationRequest<Job>,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Observed<Answer>> {
  const start = {
    command: serving(module, prefix),
    env: { UV_THREADPOOL_SIZE: String(job.size), ...env },
  };
  const live = await LiveProcess.start<ObservationAnswer | Answer>(start, guardian, random).catch(
    (error: Error) => {
      const why = `cannot start a process to look into: ${error.message}`;
      throw new PlimsollError('PLIMSOLL_WORKLOAD_FAILED', why, { cause: error });
    },
  );
  const ending = await live.ask(job, deadlineMs, signal).finally(() => live.end());
  switch (ending.kind) {
    case 'aborted':
      throw new DOMException('interrupted', 'AbortError');
    case 'deadline':
      return { kind: 'deadline' };
    case 'exit':
      return { kind: 'exited', how: ending.signal ?? `exit code ${ending.code}` };
    case 'answer':
      return judge<Answer>(ending.answer as ObservationAnswer, name, job.size);
  }
}

function judge<Answer>(answer: ObservationAnswer, name: string, size: number): Observed<Answer> {
  switch (answer.type) {
    case 'exited':
      return { kind: 'exited', how: `exit code ${answer.code}` };
    case 'bad-module':
      throw new PlimsollError('PLIMSOLL_BAD_WORKLOAD', `${name}: ${answer.message}`);
    case 'refused':
      throw new PlimsollError(
        'PLIMSOLL_POOL_SIZE_MISMATCH',
        `${name}: the process had ${answer.observedThreads} pool threads instead of ${size}; ` +
          'something that it loads (NODE_OPTIONS?) sets UV_THREADPOOL_SIZE or uses the pool first',
      );
    default:
      return { kind: 'answer', answer: answer as Exclude<Answer, ObservationAnswer> };
  }
}
