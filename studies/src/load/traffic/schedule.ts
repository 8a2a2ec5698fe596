import { setMaxListeners } from 'node:events';
import type { Ask } from './exchange.js';
import { LATE_MS, type TrafficOutcome } from './outcome.js';

export interface ScheduleOptions {
  /** No more is sent once it aborts; what is under way is waited for. */
  readonly stop?: AbortSignal;
  /** Requests under way at which further ones are dropped. */
  readonly mostInFlight: number;
  /** How long to wait for answers after the last request, in milliseconds. */
  readonly graceMs: number;
}

/**
 * Send requests at given moments whether or not earlier ones were answered (an open loop), and measure each from the
 * moment at which it was to be sent. What a stalled server makes wait is so measured as waiting, and not left out
 * because the client stalled too (coordinated omission).
 *
 * @param arrivals milliseconds from now, ascending; may have no end if `stop` has one.
 * @throws an AbortError when `signal` aborts.
 */
export function sendOnSchedule(
  ask: Ask,
  arrivals: Iterable<number>,
  options: ScheduleOptions,
  signal: AbortSignal,
): Promise<TrafficOutcome> {
  return new Schedule(ask, arrivals[Symbol.iterator](), options, signal).run();
}

class Schedule {
  readonly #started = performance.now();
  readonly #giveUp = new AbortController();
  /** When each request under way was to be sent. */
  readonly #underWay = new Map<symbol, number>();
  readonly #latenciesMs: number[] = [];
  readonly #lagsMs: number[] = [];
  #failures = 0;
  #firstFailure: string | null = null;
  #dropped = 0;
  #unfinished = 0;
  #onEmpty = (): void => {};

  constructor(
    readonly ask: Ask,
    readonly arrivals: Iterator<number>,
    readonly options: ScheduleOptions,
    readonly signal: AbortSignal,
  ) {}

  async run(): Promise<TrafficOutcome> {
    const { signal } = this;
    // Every request under way listens to it.
    setMaxListeners(0, this.#giveUp.signal);
    const abort = (): void => this.#giveUp.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await this.#sendAll();
      await this.#waitForAnswers();
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', abort);
      this.#giveUp.abort();
    }
    return {
      sent: this.#lagsMs.length,
      latenciesMs: this.#latenciesMs,
      failures: this.#failures,
      firstFailure: this.#firstFailure,
      sentLate: this.#lagsMs.filter((lag) => lag > LATE_MS).length,
      dropped: this.#dropped,
      unfinished: this.#unfinished,
      lagsMs: this.#lagsMs,
    };
  }

  #now(): number {
    return performance.now() - this.#started;
  }

  async #sendAll(): Promise<void> {
    const stop = AbortSignal.any([this.signal, ...(this.options.stop ? [this.options.stop] : [])]);
    for (let next = this.arrivals.next(); !next.done; next = this.arrivals.next()) {
      const due = next.value;
      for (let left = due - this.#now(); left > 0 && !stop.aborted; left = due - this.#now())
        await pause(left, stop);
      if (stop.aborted) return;
      this.#send(due);
    }
  }

  #send(due: number): void {
    if (this.#underWay.size >= this.options.mostInFlight) {
      this.#dropped++;
      return;
    }
    const request = Symbol();
    this.#underWay.set(request, due);
    this.#lagsMs.push(this.#now() - due);
    void this.ask(this.#giveUp.signal).then(({ failure }) => {
      if (!this.#underWay.delete(request)) return;
      if (failure === null) this.#latenciesMs.push(this.#now() - due);
      else {
        this.#failures++;
        this.#firstFailure ??= failure;
      }
      if (this.#underWay.size === 0) this.#onEmpty();
    });
  }

  async #waitForAnswers(): Promise<void> {
    if (this.#underWay.size > 0)
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#onEmpty = resolve;
        }),
        pause(this.options.graceMs, this.#giveUp.signal),
      ]);
    // Their latency is at least their age: leaving them out would make a hopeless server look good.
    for (const due of this.#underWay.values()) this.#latenciesMs.push(this.#now() - due);
    this.#unfinished = this.#underWay.size;
    this.#underWay.clear();
  }
}

/** Wait so long, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake, { once: true });
  });
}
