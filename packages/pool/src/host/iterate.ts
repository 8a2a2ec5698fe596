import { AsyncLocalStorage } from 'node:async_hooks';
import { AbortError } from '../errors.js';
import { isEnd } from '../shared/feeds.js';
import type { AbortSignalAny } from './options.js';
import { release, type Source, sourceOf } from './parcel.js';
import { abortOf, watch } from './signals.js';
import { Rejection } from './task.js';

const COMING = Symbol('coming');
/** The outcome of a place without an item: the iteration ends there. */
export const OVER = Symbol('over');

/** A place for one item: its outcome is COMING, then a value or a `Rejection`. */
interface Place {
  outcome: unknown;
  next: Place | undefined;
}

type ItemResult = IteratorResult<unknown, undefined>;
type Settle = (outcome: unknown) => void;

const DONE: ItemResult = { done: true, value: undefined };
const settled = Promise.resolve();

/** Why running items are ended: the signal or timeout, the loop was left, or no more items come. */
export type StopCause = 'aborted' | 'left' | 'over';
export type EndItem = (reason: AbortError, why: StopCause) => void;
/** Begins an item, and calls `settle` once with its value, a `Rejection` or `OVER`. @throws why the item is refused */
export type StartItem = (item: unknown, settle: Settle) => EndItem;

export interface MapLimits {
  /** The most items that were taken from the source and not delivered to the loop. */
  readonly concurrency: number;
  readonly ordered: boolean;
  readonly signal: AbortSignalAny | undefined;
  /** Milliseconds for the whole loop; the error calls the loop `name`. */
  readonly timeout?: number | undefined;
  readonly name?: string;
  /** Begin items in the async context where the loop began. Asked when it begins. */
  readonly keepsContext?: () => boolean;
}

/** Begins items of a source, `concurrency` at a time. A failure, `break` or the signal ends all. @throws TypeError */
export const mapOver = (items: unknown, limits: MapLimits, start: StartItem): Iteration =>
  new Iteration(sourceOf('items', items), limits, start);

/** The iterator of `map()` and `stream()`. Nothing begins before the first `next()`, and the first failure ends it. */
export class Iteration implements AsyncIterableIterator<unknown, undefined> {
  protected failure: Rejection | undefined;
  #closed: Promise<unknown> = settled;
  #hasBegun = false;
  /** Places that were taken and not delivered to the loop. */
  #size = 0;
  /** Outcomes that are still to come are ignored. */
  #isDropped = false;
  #hasEnded = false;
  #isDry = false;
  #isAsking = false;
  #first: Place | undefined;
  #last: Place | undefined;
  readonly #waiters: ((item: ItemResult | Rejection) => void)[] = [];
  readonly #ends = new Set<EndItem>();
  #there: (<Result>(call: () => Result) => Result) | undefined;
  #unwatch: (() => void) | undefined;
  readonly #source: Source;
  readonly #limits: MapLimits;
  readonly #start: StartItem;
  readonly #refill = (): void => this.fill();

  constructor(source: Source, limits: MapLimits, start: StartItem) {
    this.#source = source;
    this.#limits = limits;
    this.#start = start;
  }

  /** @throws why the loop fails at once */
  protected open(): void {}

  protected mayBegin(): boolean {
    return true;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<ItemResult> {
    if (!this.#hasBegun) this.#begin();
    const promise = new Promise<ItemResult>((resolve) => this.#waiters.push(resolve as never));
    this.#serve();
    this.fill();
    return promise;
  }

  async return(): Promise<ItemResult> {
    this.#hasBegun = true;
    this.#drop();
    this.#serve('left');
    await this.#closed;
    return DONE;
  }

  #begin(): void {
    this.#hasBegun = true;
    const { signal, timeout, name = '', keepsContext } = this.#limits;
    if (keepsContext?.() === true) this.#there = AsyncLocalStorage.snapshot();
    try {
      const abort = abortOf(signal);
      if (abort !== undefined) {
        this.#abort(abort);
        return;
      }
      if (signal !== undefined || timeout !== undefined)
        this.#unwatch = watch((reason) => this.#abort(reason), name, signal, timeout);
      this.open();
    } catch (error) {
      this.fail(error);
    }
  }

  protected fill(): void {
    while (this.#size < this.#limits.concurrency && this.#pull());
  }

  /** Takes one more item from the source, now or later. False: it may not, for now. */
  #pull(): boolean {
    if (this.#isDry || this.#isAsking || !this.mayBegin()) return false;
    try {
      const result = this.#source.next();
      if (typeof (result as { then?: unknown }).then === 'function')
        void this.#await(result as Promise<IteratorResult<unknown>>);
      else this.#accept(result as IteratorResult<unknown>);
    } catch (error) {
      this.fail(error);
    }
    return true;
  }

  async #await(result: Promise<IteratorResult<unknown>>): Promise<void> {
    this.#isAsking = true;
    try {
      const item = await result;
      this.#isAsking = false;
      if (!this.#isDry) this.#accept(item);
    } catch (error) {
      this.fail(error);
    }
    this.fill();
  }

  #accept(result: IteratorResult<unknown>): void {
    if (isEnd(result)) {
      this.#isDry = true;
      this.#serve();
      return;
    }
    const place = this.#take();
    const onEnd = (outcome: unknown): void => {
      this.#settle(place, outcome);
      // Later, not in the middle of the pool's work: a source is user code.
      if (this.#waiters.length > 0) void settled.then(this.#refill);
    };
    try {
      this.launch((settle) => this.#start(result.value, settle), onEnd);
    } catch (error) {
      this.#settle(place, new Rejection(error));
    }
  }

  /** Begins something that ends with the loop at the latest. */
  protected launch(start: (settle: Settle) => EndItem, onEnd: Settle): void {
    let end: EndItem | undefined;
    let hasEnded = false;
    const settle = (outcome: unknown): void => {
      hasEnded = true;
      if (end !== undefined) this.#ends.delete(end);
      onEnd(outcome);
    };
    end = this.inContext(() => start(settle));
    if (!hasEnded) this.#ends.add(end);
  }

  protected inContext<Result>(call: () => Result): Result {
    return this.#there === undefined ? call() : this.#there(call);
  }

  protected get underWay(): number {
    return this.#ends.size;
  }

  #take(): Place {
    const place: Place = { outcome: COMING, next: undefined };
    this.#size++;
    if (this.#limits.ordered) this.#append(place);
    return place;
  }

  #append(place: Place): void {
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
  }

  #settle(place: Place, outcome: unknown): void {
    if (place.outcome !== COMING || this.#isDropped) return;
    place.outcome = outcome;
    if (outcome === OVER) this.#isDry = true;
    else if (outcome instanceof Rejection) this.failure ??= outcome;
    if (!this.#limits.ordered) this.#append(place);
    this.#serve();
  }

  /** Ends the loop with this reason, after the items that were taken. */
  fail(reason: unknown): void {
    if (this.#isDry) return;
    this.#isDry = true;
    this.#settle(this.#take(), new Rejection(reason));
  }

  /** As `fail`, but also ends running items and the source. */
  close(reason: unknown): void {
    if (this.#isDry) return;
    this.#settle(this.#take(), new Rejection(reason));
    this.#stop(reason, 'over');
  }

  protected unwatch(): void {
    this.#unwatch?.();
  }

  /** Ends the loop with this reason at once. Running items are ended, and their outcomes ignored. */
  #abort(reason: unknown): void {
    this.#unwatch?.();
    const rejection = new Rejection(reason);
    if (!this.#hasEnded) this.failure ??= rejection;
    this.#stop(reason, 'aborted');
    if (this.#hasEnded) return;
    this.#drop();
    this.#size = 1;
    this.#append({ outcome: rejection, next: undefined });
    this.#serve();
  }

  #drop(): void {
    this.#isDropped = true;
    this.#first = undefined;
    this.#last = undefined;
    this.#size = 0;
  }

  #ready(): Place | undefined {
    const first = this.#first;
    if (first === undefined || first.outcome === COMING) return undefined;
    if (first.outcome === OVER) {
      this.#drop();
      return undefined;
    }
    this.#first = first.next;
    if (this.#first === undefined) this.#last = undefined;
    this.#size--;
    return first;
  }

  get #isExhausted(): boolean {
    return this.#size === 0 && (this.#isDry || this.#isDropped);
  }

  #serve(why: StopCause = 'over'): void {
    while (this.#waiters.length > 0) {
      const first = this.#ready();
      if (first === undefined && !this.#isExhausted) return;
      const give = this.#waiters.shift();
      if (first === undefined) give?.(DONE);
      else if (first.outcome instanceof Rejection) {
        give?.(first.outcome);
        this.#drop();
      } else give?.({ done: false, value: first.outcome });
    }
    if (this.#hasEnded || !this.#isExhausted) return;
    this.#hasEnded = true;
    this.unwatch();
    this.#stop(new AbortError(undefined, 'The loop has ended'), why);
  }

  #stop(reason: unknown, why: StopCause): void {
    const wasDry = this.#isDry;
    this.#isDry = true;
    for (const end of [...this.#ends]) end(reason as AbortError, why);
    if (wasDry) return;
    const ended = release(this.#source);
    // As in a plain `for await`, leaving the loop waits for the source's `return()` and throws its error. Not after a
    // failure, which counts first, nor while the source owes an item: it may answer that first, at an unknown time.
    if (why === 'left' && !this.#isAsking) this.#closed = ended;
  }
}
