import { AsyncLocalStorage } from 'node:async_hooks';
import { AbortError } from '../errors.js';
import { isMovable } from '../shared/move.js';
import { count, flag } from './checks.js';
import type { Core } from './core.js';
import { Line, type Place } from './line.js';
import type { RunOptions } from './options.js';
import { letGo, type Source, sourceOf } from './source.js';
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

const settled = Promise.resolve();
const MOST = Number.MAX_SAFE_INTEGER;

/** @throws TypeError or RangeError for what is wrong in the options or the items */
export function mapOf(core: Core, items: unknown, options: MapOptions): Mapping {
  const own = ownOf(options);
  const { maxThreads, concurrentTasksPerWorker, maxQueue } = core.options;
  const running = maxThreads * concurrentTasksPerWorker;
  const concurrency = count('options.concurrency', own.concurrency, 1, MOST);
  const ordered = flag('options.ordered', own.ordered) ?? true;
  const checked = check(core, own);
  const most = concurrency ?? Math.min(running * 2, running + maxQueue);
  return new Mapping(core, sourceOf('items', items), checked, most, ordered);
}

/** Runs a task for each item of a source, never more than so many at a time. */
export class Mapping implements AsyncIterableIterator<unknown, undefined> {
  readonly #core: Core;
  readonly #source: Source;
  readonly #checked: Checked;
  readonly #handler: number;
  readonly #concurrency: number;
  readonly #line: Line;
  /** Tasks that are not settled. */
  readonly #tasks = new Set<Task>();
  #hasBegun = false;
  /** Nothing more is taken from the source. */
  #isDry = false;
  /** The source has been asked for an item. */
  #isAsking = false;
  #unwatch: (() => void) | undefined;
  /** Calls something where the loop was begun: there are the stores that travel with its tasks. */
  #there: ((call: () => Task) => Task) | undefined;
  readonly #refill = (): void => this.#fill();

  constructor(core: Core, source: Source, checked: Checked, concurrency: number, ordered: boolean) {
    this.#core = core;
    this.#source = source;
    this.#checked = checked;
    this.#handler = handlerOf(core, checked);
    this.#concurrency = concurrency;
    this.#line = new Line(ordered, () => this.#onEnd());
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

  /** The signal is that of the whole loop; a timeout is each item's own. */
  #begin(): void {
    this.#hasBegun = true;
    if (this.#core.escort !== undefined) this.#there = AsyncLocalStorage.snapshot();
    const { signal } = this.#checked;
    if (signal === undefined) return;
    if ((signal as AbortSignal).aborted) this.#abort(new AbortError((signal as AbortSignal).reason));
    else this.#unwatch = watch((reason) => this.#abort(reason), '', signal, undefined);
  }

  #fill(): void {
    try {
      while (!this.#isDry && !this.#isAsking && this.#line.size < this.#concurrency) {
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
      .then((given) => {
        this.#isAsking = false;
        if (!this.#isDry) this.#accept(given);
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
    let task: Task | undefined;
    const resolve = (value: unknown): void => {
      if (task !== undefined) this.#tasks.delete(task);
      const isFailed = value instanceof Rejection;
      this.#line.settle(place, isFailed ? value.reason : value, isFailed);
      // Not here, in the middle of the pool's work: a source is code of the user's.
      if (this.#line.isAwaited) void settled.then(this.#refill);
    };
    try {
      task =
        this.#there === undefined
          ? this.#start(item, resolve)
          : this.#there(() => this.#start(item, resolve));
      if (!place.isSettled) this.#tasks.add(task);
    } catch (error) {
      this.#line.settle(place, error, true);
    }
  }

  /** @throws why the task is refused */
  #start(item: unknown, resolve: (value: unknown) => void): Task {
    const checked = this.#checked;
    if (isPlain(checked) && !isMovable(item)) return this.#send(item, undefined, resolve);
    const parcel = parcelOf(item, []);
    const ownWatch = watchOf({ ...checked, signal: undefined });
    return this.#send(parcel.value, extrasOf(parcel, checked), resolve, ownWatch);
  }

  #send(
    value: unknown,
    extras: Extras | undefined,
    resolve: (value: unknown) => void,
    ownWatch?: Watch,
  ): Task {
    const core = this.#core;
    const { escort } = core;
    if (escort === undefined || this.#handler === -1)
      return core.start(value, this.#handler, extras, resolve, ownWatch);
    return escort.start(value, this.#handler, resolve, (packed, carried, onEnd) =>
      core.start(packed, carried, extras, onEnd, ownWatch),
    );
  }

  /** By the signal: what runs is ended as `run()` would end it. */
  #abort(reason: unknown): void {
    this.#stop((task) => this.#core.end(task, reason));
    this.#line.fail(reason);
  }

  /** Nobody gets any more results. What runs goes on to its end, unless it can be asked to end. */
  #onEnd(): void {
    const reason = new AbortError(undefined, 'The loop over map() has ended');
    const { grace } = this.#checked;
    this.#stop((task) => {
      if (!this.#core.withdraw(task, reason) && grace > 0) this.#core.end(task, reason);
    });
  }

  #stop(end: (task: Task) => void): void {
    this.#unwatch?.();
    for (const task of [...this.#tasks]) end(task);
    if (this.#isDry) return;
    this.#isDry = true;
    letGo(this.#source);
  }
}
