import { AbortError } from '../errors.js';
import type { AbortSignalAny } from './options.js';
import { Rejection } from './rejection.js';
import { watch } from './signals.js';

const COMING = Symbol('coming');
/** Nothing comes here or after it. */
const END = Symbol('end');

/** A place in an iteration: a value, or a `Rejection`, stands there sooner or later. */
export interface Place {
  outcome: unknown;
  next: Place | undefined;
}

type Given = IteratorResult<unknown, undefined>;

const DONE: Given = { done: true, value: undefined };
const settled = Promise.resolve();

/** Why what is under way is ended: by the signal or the timeout, because the loop has left, or because nothing more comes. */
export type StopCause = 'aborted' | 'left' | 'over';

/** What `map()` and `stream()` give to a `for await`. Nothing begins before its first turn, and the first failure ends it. */
export abstract class Iteration implements AsyncIterableIterator<unknown, undefined> {
  protected closed: Promise<void> = settled;
  #hasBegun = false;
  /** Places that were taken, and whose values the loop has not got. */
  #size = 0;
  #isClosed = false;
  /** Nothing counts any more of what was taken and has not come. */
  #isDropped = false;
  #hasEnded = false;
  #first: Place | undefined;
  #last: Place | undefined;
  readonly #waiters: ((given: Given | Rejection) => void)[] = [];
  #unwatch: (() => void) | undefined;
  readonly #most: number;
  readonly #isOrdered: boolean;

  /** @param most places that are taken at a time */
  constructor(most: number, isOrdered: boolean) {
    this.#most = most;
    this.#isOrdered = isOrdered;
  }

  protected abstract begin(): void;
  /** Takes one more place, now or soon. False: not before something has happened. */
  protected abstract pull(): boolean;
  /** Ends what is under way. May be called again. */
  protected abstract stop(reason: unknown, why: StopCause): void;

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Given> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.begin();
    }
    const given = new Promise<Given>((resolve) => this.#waiters.push(resolve as never));
    this.#serve();
    this.fill();
    return given;
  }

  async return(): Promise<Given> {
    this.#hasBegun = true;
    this.#drop();
    this.#serve('left');
    await this.closed;
    return DONE;
  }

  protected fill(): void {
    while (this.#size < this.#most && this.pull());
  }

  protected take(): Place {
    const place: Place = { outcome: COMING, next: undefined };
    this.#size++;
    if (this.#isOrdered) this.#append(place);
    return place;
  }

  #append(place: Place): void {
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
  }

  protected settle(place: Place, outcome: unknown): void {
    if (place.outcome !== COMING || this.#isDropped) return;
    place.outcome = outcome;
    if (!this.#isOrdered) this.#append(place);
    this.#serve();
  }

  /** What was taken, before a place if there is one, still comes, and nothing else. */
  protected end(place?: Place): void {
    this.#isClosed = true;
    if (place === undefined) this.#serve();
    else this.settle(place, END);
  }

  /** What was taken still comes, and then this reason. */
  protected failAtEnd(reason: unknown): void {
    this.settle(this.take(), new Rejection(reason));
  }

  protected watch(signal: AbortSignalAny | undefined, timeout: number | undefined, name: string): void {
    if (signal !== undefined && (signal as AbortSignal).aborted)
      this.#abort(new AbortError((signal as AbortSignal).reason));
    else if (signal !== undefined || timeout !== undefined)
      this.#unwatch = watch((reason) => this.#abort(reason), name, signal, timeout);
  }

  protected unwatch(): void {
    this.#unwatch?.();
  }

  /** Nothing of what is under way comes, but the reason. */
  #abort(reason: unknown): void {
    this.unwatch();
    this.stop(reason, 'aborted');
    if (this.#hasEnded) return;
    this.#drop();
    this.#size = 1;
    this.#append({ outcome: new Rejection(reason), next: undefined });
    this.#serve();
  }

  #drop(): void {
    this.#isDropped = true;
    this.#isClosed = true;
    this.#first = undefined;
    this.#last = undefined;
    this.#size = 0;
  }

  protected get isAwaited(): boolean {
    return this.#waiters.length > 0;
  }

  /** Takes the first place out, if its value is there. */
  #ready(): Place | undefined {
    const first = this.#first;
    if (first === undefined || first.outcome === COMING) return undefined;
    if (first.outcome === END) {
      this.#drop();
      return undefined;
    }
    this.#first = first.next;
    if (this.#first === undefined) this.#last = undefined;
    this.#size--;
    return first;
  }

  #serve(why: StopCause = 'over'): void {
    while (this.isAwaited) {
      const first = this.#ready();
      if (first === undefined && !(this.#isClosed && this.#size === 0)) return;
      const give = this.#waiters.shift();
      if (first === undefined) give?.(DONE);
      else if (first.outcome instanceof Rejection) {
        give?.(first.outcome);
        this.#drop();
      } else give?.({ done: false, value: first.outcome });
    }
    if (this.#hasEnded || !this.#isClosed || this.#size > 0) return;
    this.#hasEnded = true;
    this.unwatch();
    this.stop(new AbortError(undefined, 'The loop has ended'), why);
  }
}
