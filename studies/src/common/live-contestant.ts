import {
  type Contestant,
  LiveProcess,
  type Random,
  reasonOf,
  type Start,
  type Supervision,
} from '@plimsoll/lab';
import type { RoundAnswer, RoundOrder, RoundYield } from './rounds.js';

interface Opening extends Start {
  /** What it is to measure. */
  readonly job: object;
  /** For its start and for each round. */
  readonly deadlineMs: number;
}

/** A process for `contest` whose entry calls `answerRounds`. */
export class LiveContestant implements Contestant<RoundYield, string> {
  readonly #live: LiveProcess<RoundAnswer>;
  readonly #deadlineMs: number;
  readonly #signal: AbortSignal;

  private constructor(live: LiveProcess<RoundAnswer>, deadlineMs: number, signal: AbortSignal) {
    this.#live = live;
    this.#deadlineMs = deadlineMs;
    this.#signal = signal;
  }

  /**
   * Start it and wait until it is ready for its first round.
   *
   * @throws {Error} saying why it is not ready; its process is gone by then. An AbortError when it was interrupted.
   */
  static async open(
    { job, deadlineMs, ...start }: Opening,
    { guardian, signal }: Supervision,
    random: Random,
  ): Promise<LiveContestant> {
    signal.throwIfAborted();
    const live = await LiveProcess.start<RoundAnswer>(start, guardian, random);
    const contestant = new LiveContestant(live, deadlineMs, signal);
    try {
      await contestant.#ask(job, 'ready');
      return contestant;
    } catch (error) {
      await live.end();
      throw error;
    }
  }

  get pid(): number {
    return this.#live.pid;
  }

  /** @throws {Error} saying why it failed; an AbortError when it was interrupted. */
  async round(): Promise<RoundYield> {
    const { metrics, totalCpuSeconds } = await this.#ask({ do: 'round' } satisfies RoundOrder, 'round');
    return { metrics, totalCpuSeconds };
  }

  async close(): Promise<void> {
    try {
      await this.#ask({ do: 'close' } satisfies RoundOrder, 'closed');
    } finally {
      await this.end();
    }
  }

  end(): Promise<void> {
    return this.#live.end();
  }

  async #ask<Type extends RoundAnswer['type']>(
    order: object,
    expected: Type,
  ): Promise<Extract<RoundAnswer, { type: Type }>> {
    const ending = await this.#live.ask(order, this.#deadlineMs, this.#signal);
    if (ending.kind !== 'answer') throw new Error(reasonOf(ending, this.#deadlineMs));
    const { answer } = ending;
    if (answer.type === 'failed') throw new Error(answer.reason);
    if (answer.type !== expected) throw new Error(`its process said "${answer.type}", not "${expected}"`);
    return answer as Extract<RoundAnswer, { type: Type }>;
  }
}
