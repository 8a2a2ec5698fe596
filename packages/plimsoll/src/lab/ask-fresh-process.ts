import type { Random } from '../stats/random.js';
import { converseWithFreshProcess, type Ending, type FreshProcess } from './fresh-process.js';
import type { Guardian } from './guardian.js';
import type { FreshAnswer, Outcome } from './messages.js';

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
