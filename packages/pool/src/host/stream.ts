import type { Transferable } from 'node:worker_threads';
import { AbortError, WorkerError } from '../errors.js';
import { CONTINUED, FED, NEXT, RETURN, STREAMED, type StreamStep } from '../shared/calls.js';
import type { Core } from './core.js';
import type { Journey } from './escort.js';
import { type FedParcel, fedParcel, isFeed } from './feed.js';
import { Line, type Place } from './line.js';
import { count, duration, type RunOptions } from './options.js';
import type { OpenStream } from './state.js';
import { type Checked, check, handlerOf, ownOf, parcelOf, transferOf, watch } from './submit.js';
import { type Extras, NO_EXTRAS, Rejection, type Task } from './task.js';
import { STOPPING, type WorkerHandle } from './worker-handle.js';

/** Options of `stream()`: those of `run()`, and these. Signal and timeout are those of the whole stream. */
export interface StreamOptions extends RunOptions {
  /** Items that the worker makes at most before the loop asks for them; 1: each when it is asked for. Default: 16. */
  readonly highWaterMark?: number | undefined;
}

type Result = Promise<IteratorResult<unknown, undefined>>;

/** Steps that are under way at most, however many items may be made ahead. */
const MOST_FLYING = 64;

/** @throws TypeError or RangeError for what is wrong in the options */
export function streamOf(core: Core, given: unknown, options: StreamOptions): Stream {
  const own = ownOf(options);
  const most = count('options.highWaterMark', own.highWaterMark, 1, Number.MAX_SAFE_INTEGER) ?? 16;
  const checked = { ...check(core, own), grace: duration('options.grace', own.grace) ?? 0 };
  return new Stream(core, given, transferOf(own), checked, most);
}

// What has to be told to the worker of a stream that has ended.
const NOTHING = 0;
const TO_RETURN = 1;
const RETURNING = 2;

const settled = Promise.resolve();

/**
 * The items of an iterable that a worker keeps. Each is made by a task of its own, which only that worker can run: so what is not
 * asked for is not made, and the worker is free between two items.
 */
export class Stream implements AsyncIterableIterator<unknown, undefined>, OpenStream {
  worker: WorkerHandle | undefined;
  readonly #core: Core;
  readonly #given: unknown;
  readonly #transfer: readonly Transferable[];
  #fed: FedParcel | undefined;
  readonly #checked: Checked;
  readonly #most: number;
  readonly #line: Line;
  /** The number of the iterable in its worker. */
  #id = -1;
  #hasBegun = false;
  /** The worker has nothing more of it. */
  #isOver = false;
  #end = NOTHING;
  readonly #flying = new Set<Task>();
  #unwatch: (() => void) | undefined;
  /** What belongs to the whole stream. The worker keeps what travels with its first task. */
  #journey: Journey | undefined;
  #failure: { readonly reason: unknown } | undefined;
  /** What return() waits for. */
  readonly #closed: Promise<void>;
  #settleClosed: { resolve(): void; reject(reason: unknown): void } | undefined;

  constructor(core: Core, given: unknown, transfer: readonly Transferable[], checked: Checked, most: number) {
    this.#core = core;
    this.#given = given;
    this.#transfer = transfer;
    this.#checked = checked;
    this.#most = most;
    this.#line = new Line(true, () =>
      this.#cancel(new AbortError(undefined, 'The loop over the stream has ended')),
    );
    this.#closed = new Promise<void>((resolve, reject) => {
      this.#settleClosed = { resolve, reject };
    });
    // Only who calls return() wants to know.
    this.#closed.catch(() => {});
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Result {
    if (!this.#hasBegun) this.#begin();
    const result = this.#line.next();
    this.#goOn();
    return result;
  }

  /** Rejects with what the iterable throws when it is closed. */
  async return(): Result {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#over();
    }
    this.#line.clear();
    await this.#closed;
    return { done: true, value: undefined };
  }

  #begin(): void {
    this.#hasBegun = true;
    const { signal, timeout, name } = this.#checked;
    this.#core.addStream(this);
    try {
      if (signal !== undefined && (signal as AbortSignal).aborted)
        throw new AbortError((signal as AbortSignal).reason);
      if (signal !== undefined || timeout !== undefined)
        this.#unwatch = watch((reason) => this.#abort(reason), name, signal, timeout);
      this.#open();
    } catch (error) {
      this.fail(error);
    }
  }

  /** @throws what the input or its iterator throws, and why the task is refused */
  #open(): void {
    if (isFeed(this.#given)) this.#fed = fedParcel([this.#given], this.#transfer, this.#given);
    const { value, transfer, original } = this.#fed ?? parcelOf(this.#given, this.#transfer);
    const call = this.#fed === undefined ? STREAMED : STREAMED | FED;
    const handler = handlerOf(this.#core, { ...this.#checked, grace: 0 }, call);
    const { priority, key } = this.#checked;
    const extras = this.#extras({ transfer, original, priority, key, stream: 'opens' });
    const journey = handler === -1 ? undefined : this.#core.escort?.begin(value, handler);
    this.#journey = journey;
    const sent = journey ?? { value, handler };
    this.#fly(
      (resolve) => this.#core.start(sent.value, sent.handler, extras, resolve),
      (result) => this.#onOpen(result),
    );
    journey?.queued();
  }

  #extras(more: Partial<Extras>): Extras {
    const { signal, timeout, grace, retry } = this.#checked;
    const abortable = signal !== undefined || timeout !== undefined || grace > 0;
    return { ...NO_EXTRAS, abortable, grace, retry, ...more };
  }

  /** Starts a task, and keeps it until it is settled. */
  #fly(start: (resolve: (value: unknown) => void) => Task, onEnd: (value: unknown) => void): void {
    let task: Task | undefined;
    let hasEnded = false;
    const resolve = (value: unknown): void => {
      hasEnded = true;
      if (task !== undefined) this.#flying.delete(task);
      onEnd(value);
    };
    task = start(resolve);
    if (!hasEnded) this.#flying.add(task);
  }

  #onOpen(opened: unknown): void {
    if (opened instanceof Rejection) {
      this.fail(this.#journey === undefined ? opened.reason : this.#journey.reasonOf(opened.reason));
      return;
    }
    const [threadId, id] = opened as [number, number];
    this.worker = this.#core.workers.find((worker) => worker.threadId === threadId);
    if (this.worker === undefined) {
      const { name, filename } = this.#checked;
      const context = { threadId, taskName: name, filename: filename ?? undefined };
      this.fail(new WorkerError('PLIMSOLL_POOL_WORKER_EXITED', 'The worker of a stream has exited', context));
      return;
    }
    this.worker.kept++;
    this.#id = id;
    this.#goOn();
  }

  /** Asks for as many items as there may be, or tells the worker that it is over. */
  #goOn(): void {
    const { worker } = this;
    if (this.#isOver || worker === undefined) return;
    // Nothing can be said to it any more. It is told when its worker has exited.
    if (worker.state >= STOPPING) {
      if (this.#end === TO_RETURN) this.#over();
      return;
    }
    if (this.#end === TO_RETURN) this.#sendReturn(worker);
    while (this.#end === NOTHING && this.#line.size < this.#most && this.#flying.size < MOST_FLYING)
      this.#sendNext(worker, this.#line.take());
  }

  #sendNext(worker: WorkerHandle, place: Place): void {
    const extras = this.#extras({ stream: 'continues', worker });
    this.#send([NEXT, this.#id], extras, (value) => this.#onItem(place, value));
  }

  #sendReturn(worker: WorkerHandle): void {
    this.#end = RETURNING;
    this.#send([RETURN, this.#id], { ...NO_EXTRAS, stream: 'continues', worker }, (value) => {
      if (value instanceof Rejection && !isStopped(value.reason)) this.#settleClosed?.reject(value.reason);
      this.#over();
    });
  }

  #send(step: StreamStep, extras: Extras, onEnd: (value: unknown) => void): void {
    const handler = handlerOf(this.#core, { ...this.#checked, grace: 0 }, CONTINUED);
    this.#fly((resolve) => this.#core.start(step, handler, extras, resolve), onEnd);
  }

  #onItem(place: Place, item: unknown): void {
    if (item instanceof Rejection) {
      this.#failBy(item.reason);
      this.#line.settle(place, item.reason, true);
      return;
    }
    const [isDone, value] = item as [boolean, unknown];
    if (isDone) {
      this.#over();
      this.#line.endAt(place);
      return;
    }
    this.#line.settle(place, value, false);
    // Somebody asks for more than may be made ahead.
    if (this.#line.isAwaited) this.#goOn();
  }

  /** By the signal or the timeout: what runs is ended as `run()` would end it. */
  #abort(reason: unknown): void {
    this.#failBy(reason);
    for (const task of [...this.#flying]) this.#core.end(task, reason);
    this.#line.fail(reason);
    this.#cancel(reason);
  }

  /** Nobody wants any more of it: what waits is taken back, what runs is asked to end, and the iterable is closed. */
  #cancel(reason: unknown): void {
    if (this.#isOver || this.#end !== NOTHING) return;
    this.#end = TO_RETURN;
    this.#unwatch?.();
    const grace = this.#checked.grace || Number.POSITIVE_INFINITY;
    for (const task of [...this.#flying])
      if (!this.#core.withdraw(task, reason)) this.#core.ask(task, reason, grace);
    this.#goOn();
  }

  /** What has come before that still comes. */
  close(reason: unknown): void {
    if (this.#end !== NOTHING) return;
    this.#failBy(reason);
    this.#line.settle(this.#line.take(), reason, true);
    this.#cancel(reason);
  }

  /** The same, when the iterable is gone. */
  fail(reason: unknown): void {
    const isWanted = this.#end === NOTHING;
    this.#failBy(reason);
    this.#over();
    if (isWanted) this.#line.settle(this.#line.take(), reason, true);
  }

  /** The first reason counts, and none from when nobody wanted any more of it. */
  #failBy(reason: unknown): void {
    if (this.#end === NOTHING) this.#failure ??= { reason };
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Not here, in the middle of the pool's work.
    if (this.#journey !== undefined) void settled.then(() => this.#tell());
    this.#unwatch?.();
    if (this.worker !== undefined) this.worker.kept--;
    this.#fed?.close();
    this.#core.removeStream(this);
    this.#settleClosed?.resolve();
  }

  #tell(): void {
    if (this.#failure === undefined) this.#journey?.succeeded();
    else this.#journey?.failed(this.#failure.reason);
  }
}

/** What it was to do for its end it has been too slow for. */
const isStopped = (reason: unknown): boolean =>
  reason instanceof WorkerError && reason.code === 'PLIMSOLL_POOL_WORKER_STOPPED';
