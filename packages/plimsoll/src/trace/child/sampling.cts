import hooks = require('node:async_hooks');
import context = require('./context.cjs');

// Taken before the app runs: it may put fake ones in their places.
const { setTimeout: later, performance } = globalThis;
const now = performance.now.bind(performance);

/** Requests that begin within so long are followed. */
const WINDOW_MS = 200;
/** Before that everything is recorded for so long: jobs that are ahead of them in the queue, and trace events have to start. */
const LEAD_MS = 100;
/** Followed requests are waited for afterwards; those that take longer are followed no more. */
const MOST_TAIL_MS = 2000;
const LOOK_MS = 10;
/** Its multiples are spread over the unit interval as evenly as can be, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

interface Listener {
  /** Recording goes on, or stands still. */
  changed(isRecording: boolean): void;
  /** Whether all that is needed has started. */
  isReady?(): boolean;
}

/**
 * When the window begins that is the first after a time: one in each period, at a place that no regular client can follow.
 * Times are of the machine, so that all threads and processes have the same windows.
 */
function nextWindow(share: number, afterMs: number): number {
  const periodMs = WINDOW_MS / share;
  const place = (period: number): number =>
    period * periodMs + ((period * GOLDEN) % 1) * (periodMs - WINDOW_MS);
  const period = Math.floor(afterMs / periodMs);
  return place(period) >= afterMs ? place(period) : place(period + 1);
}

/**
 * Which requests of this thread are followed: with a share below 1 all those that begin in windows of time, which are so large a
 * share of it. Hooks cost most of what recording costs, and they are global: only where none is followed can they be off.
 *
 * Everything is recorded until the first request; the first window begins with it.
 */
class Sampling {
  /** Calls and jobs are recorded. */
  isRecording = true;
  /** A request that begins now is followed. */
  isFollowing = true;
  readonly #share: number;
  readonly #listeners: Listener[] = [];
  readonly #first: () => void;
  #hasBegun = false;
  /** Requests that are followed and not over. */
  #followed = 0;
  #deadline = 0;

  /** @param share of the requests, above 0; 1 for all. */
  constructor(share: number) {
    this.#share = share;
    // A timer that a request makes would keep what the app hangs on that request.
    this.#first = share < 1 ? hooks.AsyncResource.bind(() => this.#after(WINDOW_MS, this.#end)) : () => {};
  }

  watch(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** A request begins. @returns whether it is followed. */
  begins(): boolean {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#first();
    }
    if (this.isFollowing) this.#followed++;
    return this.isFollowing;
  }

  /** A request that was followed is over. */
  ends(): void {
    this.#followed--;
  }

  #after(ms: number, then: () => void): void {
    later(() => then.call(this), ms).unref();
  }

  #end(): void {
    this.isFollowing = false;
    this.#deadline = now() + MOST_TAIL_MS;
    this.#drain();
  }

  #drain(): void {
    if (this.#followed > 0 && now() < this.#deadline) {
      this.#after(LOOK_MS, this.#drain);
      return;
    }
    this.#followed = 0;
    this.#change(false);
    const at = Number(process.hrtime.bigint()) / 1e6;
    this.#after(nextWindow(this.#share, at + LEAD_MS) - LEAD_MS - at, this.#lead);
  }

  #lead(): void {
    this.#change(true);
    this.#deadline = now() + MOST_TAIL_MS;
    this.#after(LEAD_MS, this.#follow);
  }

  #follow(): void {
    const isReady = this.#listeners.every((listener) => listener.isReady?.() !== false);
    if (isReady) {
      this.isFollowing = true;
      this.#after(WINDOW_MS, this.#end);
    } else if (now() < this.#deadline) this.#after(LOOK_MS, this.#follow);
    else this.#drain();
  }

  #change(isRecording: boolean): void {
    this.isRecording = isRecording;
    context.setOn(isRecording);
    for (const listener of this.#listeners) listener.changed(isRecording);
  }
}

export = { Sampling, nextWindow, WINDOW_MS };
