import { PlimsollError } from '../errors.js';
import type { SizedAnswer, SizedJob } from '../lab/child/serve.js';
import { LiveProcess, serving, sizeMismatch } from '../lab/fresh-process.js';
import type { Guardian } from '../lab/guardian.js';
import type { Random } from '../stats/random.js';

export type ObservationAnswer =
  | SizedAnswer
  | { readonly type: 'bad-module'; readonly message: string }
  | { readonly type: 'exited'; readonly code: number };

export interface ObservationRequest<Job extends SizedJob> {
  readonly name: string;
  /** URL of the module that serves the job, with `serveObservation`. */
  readonly module: URL;
  readonly job: Job;
  readonly deadlineMs: number;
  readonly prefix?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export type Observed<Answer> =
  | { readonly kind: 'answer'; readonly answer: Exclude<Answer, ObservationAnswer> }
  | { readonly kind: 'exited'; readonly how: string }
  | { readonly kind: 'deadline' };

export async function observe<Job extends SizedJob, Answer extends { readonly type: string }>(
  { name, module, prefix, env, job, deadlineMs }: ObservationRequest<Job>,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Observed<Answer>> {
  const start = serving(module, job.size, prefix, env);
  const live = await LiveProcess.start<ObservationAnswer | Answer>(start, guardian, random);
  const ending = await live.ask(job, deadlineMs, signal).finally(() => live.end());
  if (ending.kind === 'aborted') throw new DOMException('interrupted', 'AbortError');
  if (ending.kind === 'deadline') return { kind: 'deadline' };
  if (ending.kind === 'exit') return { kind: 'exited', how: ending.signal ?? `exit code ${ending.code}` };
  const answer = ending.answer as ObservationAnswer;
  switch (answer.type) {
    case 'exited':
      return { kind: 'exited', how: `exit code ${answer.code}` };
    case 'bad-module':
      throw new PlimsollError('PLIMSOLL_BAD_WORKLOAD', `${name}: ${answer.message}`);
    case 'refused':
      throw sizeMismatch(name, answer.observedThreads, job.size);
    default:
      return { kind: 'answer', answer: answer as Exclude<Answer, ObservationAnswer> };
  }
}
