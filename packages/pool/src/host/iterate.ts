import { AbortError } from '../errors.js';
import type { AbortSignalAny } from './options.js';
import { watch } from './submit.js';

const COMING = 0;
const VALUE = 1;
const FAILURE = 2;
/** Nothing comes here or after it. */
const END = 3;

/** A place in an iteration: what stands there comes later. */
export interface Place {
  state: typeof COMING | typeof VALUE | typeof FAILURE | typeof END;
  value: unknown;
  next: Place | undefined;
}

type Given = IteratorResult<unknown, undefined>;

interface Waiter {
  resolve(result: Given): void;
  reject(reason: unknown): void;
}

const DONE: Given = { done: true, value: undefined };
const settled = Promise.resolve();

/** Why what is under way is ended: by the signal or the timeout, because the loop has left, or because nothing more comes. */
export type StopCause = 'aborted' | 'left' | 'over';

/** What `map()` and `stream()` give to a `for await`. Nothing begins before its first turn, and the first failure ends it. */
export abstract class Iteration implements AsyncIterableIterator<unknown, undefined> {
  /** What `return()` waits for. */
  protected closed: Promise<void> = settled;
  #hasBegun = false;
  /** Places that were taken, and whose values the loop has not got. */
  #size = 0;
  /** No further places come. */
  #isClosed = false;
  /** Nothing counts any more of what was taken and has not come. */
  #isDropped = false;
  #hasEnded = false;
  #first: Place | undefined;
  #last: Place | undefined;
  readonly #waiters: Waiter[] = [];
  #unwatch: (() => void) | undefined;
  readonly #most: number;
  readonly #isOrdered: boolean;

  /** @param most places that are taken at a time */
  constructor(most: number, isOrdered: boolean) {
    this.#most = most;
    this.#isOrdered = isOrdered;
  }

  /** The first turn of the loop. */
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
    const result = this.#ask();
    this.fill();
    return result;
  }

  async return(): Promise<Given> {
    this.#hasBegun = true;
    this.#drop();
    this.#serve('left');
    await this.closed;
    return DONE;
  }

  /** To be called when further places may be taken. */
  protected fill(): void {
    while (this.#size < this.#most && this.pull());
  }

  protected take(): Place {
    const place: Place = { state: COMING, value: undefined, next: undefined };
    this.#size++;
    if (this.#isOrdered) this.#append(place);
    return place;
  }

  #append(place: Place): void {
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
  }

  protected settle(place: Place, value: unknown, isFailed: boolean): void {
    this.#settle(place, value, isFailed ? FAILURE : VALUE);
  }

  #settle(place: Place, value: unknown, state: Place['state']): void {
    if (place.state !== COMING || this.#isDropped) return;
    place.state = state;
    place.value = value;
    if (!this.#isOrdered) this.#append(place);
    this.#serve();
  }

  /** What was taken before a place still comes, and nothing else. */
  protected endAt(place: Place): void {
    this.#isClosed = true;
    this.#settle(place, undefined, END);
  }

  /** What was taken still comes, and nothing else. */
  protected takeNoMore(): void {
    this.#isClosed = true;
    this.#serve();
  }

  /** What was taken still comes, and then this reason. */
  protected failAtEnd(reason: unknown): void {
    this.settle(this.take(), reason, true);
  }

  /** Ends on whichever comes first. */
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
    this.#append({ state: FAILURE, value: reason, next: undefined });
    this.#serve();
  }

  #drop(): void {
    this.#isDropped = true;
    this.#isClosed = true;
    this.#first = undefined;
    this.#last = undefined;
    this.#size = 0;
  }

  #ask(): Promise<Given> {
    const first = this.isAwaited ? undefined : this.#ready();
    if (first?.state === VALUE) {
      this.#endIfOver();
      return Promise.resolve({ done: false, value: first.value });
    }
    if (first !== undefined) {
      this.#drop();
      this.#endIfOver();
      return Promise.reject(first.value);
    }
    const result = new Promise<Given>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    this.#serve();
    return result;
  }

  /** The loop asks for more than there is. */
  protected get isAwaited(): boolean {
    return this.#waiters.length > 0;
  }

  get #isOver(): boolean {
    return this.#isClosed && this.#size === 0;
  }

  /** Takes the first place out, if its value is there. */
  #ready(): Place | undefined {
    const first = this.#first;
    if (first === undefined || first.state === COMING) return undefined;
    if (first.state === END) {
      this.#drop();
      return undefined;
    }
    this.#first = first.next;
    if (this.#first === undefined) this.#last = undefined;
    this.#size--;
    return first;
  }

  #serve(why?: StopCause): void {
    while (this.isAwaited) {
      const first = this.#ready();
      if (first === undefined && !this.#isOver) return;
      const waiter = this.#waiters.shift() as Waiter;
      if (first === undefined) waiter.resolve(DONE);
      else if (first.state === VALUE) waiter.resolve({ done: false, value: first.value });
      else {
        waiter.reject(first.value);
        this.#drop();
      }
    }
    this.#endIfOver(why);
  }

  #endIfOver(why: StopCause = 'over'): void {
    if (this.#hasEnded || !this.#isOver) return;
    this.#hasEnded = true;
    this.unwatch();
    this.stop(new AbortError(undefined, 'The loop has ended'), why);
  }
}
