import { type Guardian, LiveProcess, type Random, reasonOf, type Start } from '@plimsoll/lab';
import type { Outcome } from './outcome.js';

export interface FreshProcess extends Start {
  /** Its only order. */
  readonly job: object;
  /** After so long the run counts as hung and is killed. */
  readonly deadlineMs: number;
}

/**
 * One run in a process of its own, whose entry calls `answerOnce`; it and whatever it started have ended afterwards.
 *
 * @throws whatever stopped it from being started; an AbortError when it was interrupted.
 */
export async function askFreshProcess(
  { job, deadlineMs, ...start }: FreshProcess,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted();
  const live = await LiveProcess.start<Outcome>(start, guardian, random);
  try {
    const ending = await live.ask(job, deadlineMs, signal);
    return ending.kind === 'answer'
      ? ending.answer
      : { type: 'failed', reason: reasonOf(ending, deadlineMs) };
  } finally {
    await live.end();
  }
}
