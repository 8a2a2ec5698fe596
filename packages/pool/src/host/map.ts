import { AsyncLocalStorage } from 'node:async_hooks';
import { AbortError } from '../errors.js';
import { isMovable } from '../shared/move.js';
import type { Core } from './core.js';
import { letGo, type Source, sourceOf } from './feed.js';
import { Line, type Place } from './line.js';
import { type AbortSignalAny, count, flag, type RunOptions } from './options.js';
import {
  type Checked,
  check,
  extrasOf,
  handlerOf,
  isPlain,
  ownOf,
  parcelOf,
  watch,
  watchOf,
} from './submit.js';
import { type Extras, Rejection, type Task, type Watch } from './task.js';

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

const MOST = Number.MAX_SAFE_INTEGER;

/** @throws TypeError or RangeError for what is wrong in the options or the items */
export function mapOf(
  core: Core,
  items: unknown,
  options: MapOptions,
): AsyncIterableIterator<unknown, undefined> {
  const own = ownOf(options);
  const { maxThreads, concurrentTasksPerWorker, maxQueue } = core.options;
  const running = maxThreads * concurrentTasksPerWorker;
  const concurrency =
    count('options.concurrency', own.concurrency, 1, MOST) ?? Math.min(running * 2, running + maxQueue);
  const ordered = flag('options.ordered', own.ordered) ?? true;
  const checked = check(core, own);
  const { signal, grace } = checked;
  /** Calls something where the loop was begun: there are the stores that travel with its tasks. */
  let there: ((call: () => Task) => Task) | undefined;
  return mapOver(items, { concurrency, ordered, signal }, (item, settle) => {
    const resolve = (value: unknown): void => {
      const isFailed = value instanceof Rejection;
      settle(isFailed ? value.reason : value, isFailed);
    };
    if (core.escort !== undefined) there ??= AsyncLocalStorage.snapshot();
    const start = (): Task => startItem(core, item, checked, resolve);
    const task = there === undefined ? start() : there(start);
    return (reason, why) => {
      // Without the signal nobody has said that what runs shall end: it goes on, unless it can be asked.
      if (why === 'aborted' || (!core.withdraw(task, reason) && grace > 0)) core.end(task, reason);
    };
  });
}

/** The signal is that of the whole loop; a timeout is each item's own. @throws why the task is refused */
function startItem(core: Core, item: unknown, checked: Checked, resolve: (value: unknown) => void): Task {
  const handler = handlerOf(core, checked);
  if (isPlain(checked) && !isMovable(item)) return send(core, item, handler, undefined, resolve);
  const parcel = parcelOf(item, []);
  const extras = extrasOf(parcel, checked);
  return send(core, parcel.value, handler, extras, resolve, watchOf({ ...checked, signal: undefined }));
}

function send(
  core: Core,
  value: unknown,
  handler: number,
  extras: Extras | undefined,
  resolve: (value: unknown) => void,
  ownWatch?: Watch,
): Task {
  const { escort } = core;
  if (escort === undefined || handler === -1) return core.start(value, handler, extras, resolve, ownWatch);
  return escort.start(value, handler, resolve, (packed, carried, onEnd) =>
    core.start(packed, carried, extras, onEnd, ownWatch),
  );
}

/** Ends an item that was begun: by the signal of the loop, or because nobody takes results any more. */
export type EndItem = (reason: AbortError, why: 'aborted' | 'over') => void;
/** Begins an item, and calls `settle` once, at once or later. @throws why the item is refused */
export type StartItem = (item: unknown, settle: (value: unknown, isFailed: boolean) => void) => EndItem;

export interface MapLimits {
  /** Items at most that were taken from the source, and whose result nobody has got. */
  readonly concurrency: number;
  /** Results in the order of the items; else each as soon as it is there. */
  readonly ordered: boolean;
  readonly signal: AbortSignalAny | undefined;
}

const settled = Promise.resolve();

/**
 * Begins an item of a source after the other, never more than so many at a time, and gives their results to a `for await`. The
 * first failure ends the loop, and so do `break` and the signal: then all that is under way is ended, and the source let go.
 *
 * @throws TypeError for what is not iterable
 */
export const mapOver = (
  items: unknown,
  limits: MapLimits,
  start: StartItem,
): AsyncIterableIterator<unknown, undefined> => new Mapping(sourceOf('items', items), limits, start);

class Mapping implements AsyncIterableIterator<unknown, undefined> {
  readonly #source: Source;
  readonly #limits: MapLimits;
  readonly #start: StartItem;
  readonly #line: Line;
  /** Of the items that are not settled. */
  readonly #ends = new Set<EndItem>();
  #hasBegun = false;
  /** Nothing more is taken from the source. */
  #isDry = false;
  /** The source has been asked for an item. */
  #isAsking = false;
  #unwatch: (() => void) | undefined;
  readonly #refill = (): void => this.#fill();

  constructor(source: Source, limits: MapLimits, start: StartItem) {
    this.#source = source;
    this.#limits = limits;
    this.#start = start;
    this.#line = new Line(limits.ordered, () => this.#onEnd());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    if (!this.#hasBegun) this.#begin();
    const result = this.#line.next();
    this.#fill();
    return result;
  }

  return(): Promise<IteratorResult<unknown, undefined>> {
    this.#hasBegun = true;
    this.#line.clear();
    return this.#line.next();
  }

  #begin(): void {
    this.#hasBegun = true;
    const { signal } = this.#limits;
    if (signal === undefined) return;
    if ((signal as AbortSignal).aborted) this.#abort(new AbortError((signal as AbortSignal).reason));
    else this.#unwatch = watch((reason) => this.#abort(reason as AbortError), '', signal, undefined);
  }

  #fill(): void {
    try {
      while (!this.#isDry && !this.#isAsking && this.#line.size < this.#limits.concurrency) {
        const result = this.#source.next();
        if (typeof (result as { then?: unknown }).then !== 'function')
          this.#accept(result as IteratorResult<unknown>);
        else this.#await(result as Promise<IteratorResult<unknown>>);
      }
    } catch (error) {
      this.#failAtTheEnd(error);
    }
  }

  #await(result: Promise<IteratorResult<unknown>>): void {
    this.#isAsking = true;
    Promise.resolve(result)
      .then((item) => {
        this.#isAsking = false;
        if (!this.#isDry) this.#accept(item);
        this.#fill();
      })
      .catch((error: unknown) => this.#failAtTheEnd(error));
  }

  #accept({ done, value }: IteratorResult<unknown>): void {
    if (done !== true) {
      this.#submit(value, this.#line.take());
      return;
    }
    this.#isDry = true;
    this.#line.close();
  }

  /** The source has failed: what came before that comes first. */
  #failAtTheEnd(error: unknown): void {
    if (this.#isDry) return;
    this.#isDry = true;
    this.#line.settle(this.#line.take(), error, true);
  }

  #submit(item: unknown, place: Place): void {
    let end: EndItem | undefined;
    let isSettled = false;
    const settle = (value: unknown, isFailed: boolean): void => {
      isSettled = true;
      if (end !== undefined) this.#ends.delete(end);
      this.#line.settle(place, value, isFailed);
      // Not here, in the middle of somebody's work: a source is code of the user's.
      if (this.#line.isAwaited) void settled.then(this.#refill);
    };
    try {
      end = this.#start(item, settle);
      if (!isSettled) this.#ends.add(end);
    } catch (error) {
      this.#line.settle(place, error, true);
    }
  }

  #abort(reason: AbortError): void {
    this.#stop(reason, 'aborted');
    this.#line.fail(reason);
  }

  #onEnd(): void {
    this.#stop(new AbortError(undefined, 'The loop over map() has ended'), 'over');
  }

  #stop(reason: AbortError, why: 'aborted' | 'over'): void {
    this.#unwatch?.();
    for (const end of [...this.#ends]) end(reason, why);
    if (this.#isDry) return;
    this.#isDry = true;
    letGo(this.#source);
  }
}
