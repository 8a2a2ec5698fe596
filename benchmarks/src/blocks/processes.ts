import { type Arm, type Guardian, LiveProcess, type Random, reasonOf, type Start } from '@plimsoll/lab';
import type { Outcome } from './outcome.js';

export interface Ask {
  readonly job: object;
  /** After so long the run counts as hung, and its process is killed. */
  readonly deadlineMs: number;
}

/**
 * The process of each arm, whose entry calls `answerJobs`. It answers so many runs, then a fresh one takes its place; after a
 * run that did not end well, at once. Those that are left are ended by `end`.
 */
export class Processes<Id extends string> {
  readonly #live = new Map<Arm<Id>, { process: LiveProcess<Outcome>; runs: number }>();

  constructor(
    readonly start: Start,
    readonly runsEach: number,
    readonly guardian: Guardian,
    readonly random: Random,
  ) {}

  /** @throws whatever stopped it from being started; an AbortError when it was interrupted. */
  async ask(arm: Arm<Id>, { job, deadlineMs }: Ask, signal: AbortSignal): Promise<Outcome> {
    signal.throwIfAborted();
    const live = this.#live.get(arm) ?? {
      process: await LiveProcess.start<Outcome>(this.start, this.guardian, this.random),
      runs: 0,
    };
    this.#live.set(arm, live);
    const ending = await live.process.ask(job, deadlineMs, signal);
    const isSound = ending.kind === 'answer' && ending.answer.type === 'measured';
    if (!isSound || ++live.runs >= this.runsEach) await this.#end(arm);
    return ending.kind === 'answer'
      ? ending.answer
      : { type: 'failed', reason: reasonOf(ending, deadlineMs) };
  }

  async end(): Promise<void> {
    for (const arm of this.#live.keys()) await this.#end(arm);
  }

  async #end(arm: Arm<Id>): Promise<void> {
    const live = this.#live.get(arm);
    this.#live.delete(arm);
    await live?.process.end();
  }
}
