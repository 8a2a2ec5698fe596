import {
  converseWithFreshProcess,
  type Ending,
  type FreshProcess,
  type Guardian,
  type Random,
} from 'plimsoll/lab';
import type { Answer, Outcome } from './child/messages.js';

/** One run in a process of its own, whose entry answers by `child/answer.ts`. Throws when it was interrupted. */
export async function askFreshProcess(
  request: FreshProcess,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted();
  const ending = await converseWithFreshProcess<Answer>(request, guardian, random, signal);
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
