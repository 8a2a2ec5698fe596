import { badRange, badType } from '../errors.js';

/** What `setTimeout` gives for a virtual timer. */
export interface VirtualTimer {
  ref(): VirtualTimer;
  unref(): VirtualTimer;
  refresh(): VirtualTimer;
}

/** A clock that stands still until it is moved, and the timers that go by it. */
export class VirtualTime {
  /** Milliseconds since the pool was made. */
  now = 0;
  readonly #timers = new Set<Timer>();
  /** Is an unreferenced timer being fired? */
  #isFiringWeak = false;
  #made = 0;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  setTimeout(callback: () => void, milliseconds: number): VirtualTimer {
    const timer = new Timer(this, callback, Math.max(0, milliseconds), this.#isFiringWeak);
    this.start(timer);
    return timer;
  }

  /** @internal */
  start(timer: Timer): void {
    timer.due = this.now + timer.milliseconds;
    timer.number = ++this.#made;
    this.#timers.add(timer);
    this.#onChange();
  }

  clearTimeout(timer: VirtualTimer | undefined): void {
    this.#timers.delete(timer as Timer);
  }

  /** Is a timer due at that time, or before? */
  hasUntil(time: number): boolean {
    return (this.nextDue ?? Number.POSITIVE_INFINITY) <= time;
  }

  /** When the next timer is due; undefined: there is none. */
  get nextDue(): number | undefined {
    return this.#next()?.due;
  }

  /**
   * Is there anything that time would bring about? Timers that an unreferenced one has set again and again, such as the pool's
   * look at idle workers, bring about nothing.
   */
  get isAwaited(): boolean {
    for (const timer of this.#timers) if (timer.isReferenced || !timer.isRepeated) return true;
    return false;
  }

  /** Moves on to the next timer and calls what it is for. False: there is none. */
  fireNext(): boolean {
    const next = this.#next();
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

  /** Moves on to a time before which no timer is due. */
  moveTo(time: number): void {
    this.now = Math.max(this.now, time);
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.isBefore(next)) next = timer;
    return next;
  }
}

class Timer implements VirtualTimer {
  due = 0;
  number = 0;
  isReferenced = true;
  readonly callback: () => void;
  readonly milliseconds: number;
  readonly isRepeated: boolean;
  readonly #time: VirtualTime;

  constructor(time: VirtualTime, callback: () => void, milliseconds: number, isRepeated: boolean) {
    this.#time = time;
    this.callback = callback;
    this.milliseconds = milliseconds;
    this.isRepeated = isRepeated;
  }

  isBefore(other: Timer): boolean {
    return this.due < other.due || (this.due === other.due && this.number < other.number);
  }

  ref(): this {
    this.isReferenced = true;
    return this;
  }

  unref(): this {
    this.isReferenced = false;
    return this;
  }

  refresh(): this {
    this.#time.start(this);
    return this;
  }
}

/** @throws TypeError or RangeError for anything but a finite time */
export function millisecondsOf(value: unknown): number {
  if (typeof value !== 'number') throw badType('milliseconds', value, 'a number of milliseconds');
  if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
    throw badRange('milliseconds', value, 'zero or more milliseconds, and finite');
  }
  return value;
}
