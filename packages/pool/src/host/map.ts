import { AsyncLocalStorage } from 'node:async_hooks';
import type { AbortError } from '../errors.js';
import { isMovable } from '../shared/move.js';
import { cancel, END, LEAVE } from './cancel.js';
import type { Core } from './core.js';
import { Iteration, type StopCause } from './iterate.js';
import { type AbortSignalAny, count, flag, type RunOptions } from './options.js';
import { parcelOf, release, type Source, sourceOf, unmoved } from './parcel.js';
import { Rejection } from './rejection.js';
import { check, extrasOf, handlerOf, plainCopy } from './submit.js';
import type { Task } from './task.js';

/** Options of `map()`: those of `run()` for each item, and these. */
export interface MapOptions extends Omit<RunOptions, 'transferList'> {
  /**
   * Items in memory at most: taken from the source, and whose result the loop has not got. Default: twice as many as
   * workers may run at once.
   */
  readonly concurrency?: number | undefined;
  /** Results in the order of the items; else each as soon as it is there. Default: true. */
  readonly ordered?: boolean | undefined;
}

export function mapOf(core: Core, items: unknown, options: MapOptions): Mapping {
  const copy = plainCopy(options);
  const { maxThreads, concurrentTasksPerWorker, maxQueue } = core.options;
  const running = maxThreads * concurrentTasksPerWorker;
  const most = count('options.concurrency', copy.concurrency, 1, Number.MAX_SAFE_INTEGER);
  const concurrency = most ?? Math.min(running * 2, running + maxQueue);
  const ordered = flag('options.ordered', copy.ordered) ?? true;
  const checked = check(core, copy);
  const { signal, grace } = checked;
  /** Calls something where the loop was begun: there are the stores that go with its tasks. */
  let there: ((call: () => Task) => Task) | undefined;
  return mapOver(items, { concurrency, ordered, signal }, (item, settle) => {
    const start = (): Task => {
      const parcel = isMovable(item) ? parcelOf([item]) : unmoved(item);
      const extras = extrasOf(parcel, checked);
      // That of the whole loop; a timeout is each item's own.
      if (extras !== undefined) extras.signal = undefined;
      return core.startEscorted(parcel.value, handlerOf(core, checked), extras, settle);
    };
    if (core.escort !== undefined || core.callsHost) there ??= AsyncLocalStorage.snapshot();
    const task = there === undefined ? start() : there(start);
    return (reason, why) => {
      // Without the signal no caller has ended the running tasks: they continue, unless they can be asked.
      if (why === 'aborted' || (!cancel(core, task, reason, LEAVE) && grace > 0))
        cancel(core, task, reason, END);
    };
  });
}

export type EndItem = (reason: AbortError, why: StopCause) => void;
/** Begins an item, and calls `settle` once with its value or a `Rejection`. @throws why the item is refused */
export type StartItem = (item: unknown, settle: (outcome: unknown) => void) => EndItem;

export interface MapLimits {
  readonly concurrency: number;
  readonly ordered: boolean;
  readonly signal: AbortSignalAny | undefined;
}

const settled = Promise.resolve();

/** Begins items of a source, so many at a time. A failure, `break` or the signal end all of them. @throws TypeError */
export const mapOver = (items: unknown, limits: MapLimits, start: StartItem): Mapping =>
  new Mapping(sourceOf('items', items), limits, start);

class Mapping extends Iteration {
  readonly #source: Source;
  readonly #signal: AbortSignalAny | undefined;
  readonly #start: StartItem;
  readonly #ends = new Set<EndItem>();
  #isDry = false;
  #isAsking = false;
  readonly #refill = (): void => this.fill();

  constructor(source: Source, { concurrency, ordered, signal }: MapLimits, start: StartItem) {
    super(concurrency, ordered);
    this.#source = source;
    this.#signal = signal;
    this.#start = start;
  }

  protected begin(): void {
    this.watch(this.#signal, undefined, '');
  }

  protected pull(): boolean {
    if (this.#isDry || this.#isAsking) return false;
    try {
      const result = this.#source.next();
      if (typeof (result as { then?: unknown }).then === 'function')
        void this.#await(result as Promise<IteratorResult<unknown>>);
      else this.#accept(result as IteratorResult<unknown>);
    } catch (error) {
      this.#fail(error);
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
      this.#fail(error);
    }
    this.fill();
  }

  #accept({ done, value }: IteratorResult<unknown>): void {
    if (done === true) {
      this.#isDry = true;
      this.end();
    } else this.#begin(value);
  }

  /** The source has failed: what came before that comes first. */
  #fail(error: unknown): void {
    if (this.#isDry) return;
    this.#isDry = true;
    this.failAtEnd(error);
  }

  #begin(item: unknown): void {
    const place = this.take();
    let end: EndItem | undefined;
    let isSettled = false;
    const settle = (outcome: unknown): void => {
      isSettled = true;
      if (end !== undefined) this.#ends.delete(end);
      this.settle(place, outcome);
      // Not here, in the middle of the pool's work: a source is user code.
      if (this.isAwaited) void settled.then(this.#refill);
    };
    try {
      end = this.#start(item, settle);
      if (!isSettled) this.#ends.add(end);
    } catch (error) {
      this.settle(place, new Rejection(error));
    }
  }

  protected stop(reason: unknown, why: StopCause): void {
    for (const end of [...this.#ends]) end(reason as AbortError, why);
    if (this.#isDry) return;
    this.#isDry = true;
    const ended = release(this.#source);
    // As of `for await`: the end of the loop waits for it, and throws what it throws. But a source that has been asked for an item
    // may answer that first, at an unknown time; and the first failure is what counts.
    if (why === 'left' && !this.#isAsking) this.closed = ended.then(() => {});
  }
}
