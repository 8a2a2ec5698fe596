import { badRange, badType } from '../errors.js';
import { duration } from '../host/options.js';

/** A clock that moves only when told to, and its timers. */
export class VirtualTime {
  /** Milliseconds since the pool was created. Never set to a time before the next timer is due. */
  now = 0;
  readonly #timers = new Set<Timer>();
  #isFiringWeak = false;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  setTimeout(callback: () => void, milliseconds: number): Timer {
    const due = this.now + Math.max(0, milliseconds);
    const timer = new Timer(callback, due, this.#isFiringWeak);
    this.#timers.add(timer);
    this.#onChange();
    return timer;
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer !== undefined) this.#timers.delete(timer);
  }

  /** Would time change anything? Unreferenced timers that set themselves again change nothing. */
  get isAwaited(): boolean {
    for (const timer of this.#timers) if (timer.isReferenced || !timer.isRepeated) return true;
    return false;
  }

  /** Advances to the next timer and calls it. Returns false if there is none. */
  fireNext(): boolean {
    const { next } = this;
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.now = Math.max(this.now, next.due);
    this.#isFiringWeak = !next.isReferenced;
    try {
      next.callback();
    } finally {
      this.#isFiringWeak = false;
    }
    return true;
  }

  /** The timer that is due next: of several that are due at once, the one that was set first. */
  get next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.due < next.due) next = timer;
    return next;
  }
}

class Timer {
  isReferenced = true;

  constructor(
    readonly callback: () => void,
    readonly due: number,
    readonly isRepeated: boolean,
  ) {}

  ref(): this {
    this.isReferenced = true;
    return this;
  }

  unref(): this {
    this.isReferenced = false;
    return this;
  }
}

/** @throws TypeError or RangeError for anything but a finite time */
export function millisecondsOf(value: unknown): number {
  const time = duration('milliseconds', value);
  if (time === undefined) throw badType('milliseconds', value, 'a number of milliseconds');
  if (time === Number.POSITIVE_INFINITY) throw badRange('milliseconds', value, 'finite');
  return time;
}
