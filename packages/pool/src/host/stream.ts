import { AsyncResource } from 'node:async_hooks';
import { WorkerError } from '../errors.js';
import { CONTINUED, NEXT, RETURN, STREAMED, type StreamStep } from '../shared/calls.js';
import { ASK, cancel, END, LEAVE } from './cancel.js';
import type { Core } from './core.js';
import type { Journey } from './escort.js';
import { Iteration, type StopCause } from './iterate.js';
import { count, duration, type RunOptions } from './options.js';
import { type Parcel, parcelOf } from './parcel.js';
import { Rejection } from './rejection.js';
import type { OpenStream } from './state.js';
import { type Checked, check, handlerOf, plainCopy, transferOf } from './submit.js';
import { type Extras, NO_EXTRAS, type Task } from './task.js';
import { STOPPING, type WorkerHandle } from './worker-handle.js';

/** Options of `stream()`: those of `run()`, and these. Signal and timeout are those of the whole stream. */
export interface StreamOptions extends RunOptions {
  /** Items that the worker makes at most before the loop asks for them; 1: each when it is asked for. Default: 16. */
  readonly highWaterMark?: number | undefined;
}

/** Steps that are under way at most, however many items may be made ahead. */
const MOST_FLYING = 64;

export function streamOf(core: Core, given: unknown, options: StreamOptions): Stream {
  const copy = plainCopy(options);
  const most = count('options.highWaterMark', copy.highWaterMark, 1, Number.MAX_SAFE_INTEGER) ?? 16;
  // Its code knows of the stream, which can always end, not of the task that opens it.
  const checked = { ...check(core, copy), grace: duration('options.grace', copy.grace) ?? 0, call: 0 };
  const transfer = transferOf(copy);
  return new Stream(
    core,
    () => parcelOf([given], transfer, false, core.options.maxValueBytes),
    checked,
    most,
  );
}

/** The items of an iterable that a worker keeps, each made by a task of its own: the worker is free between two of them. */
export class Stream extends Iteration implements OpenStream {
  worker: WorkerHandle | undefined;
  readonly #core: Core;
  readonly #pack: () => Parcel;
  readonly #checked: Checked;
  #parcel: Parcel | undefined;
  #id = -1;
  /** Its first task has been begun: it ends with that one, or after it. */
  #isOpening = false;
  /** Nobody wants any more of it: the iterable is being closed. */
  #isEnding = false;
  #isOver = false;
  readonly #flying = new Set<Task>();
  /** What belongs to the whole stream. The worker keeps what travels with its first task. */
  #journey: Journey | undefined;
  /** The context of the first request: host functions run in it, whichever context requests an item. */
  #origin: AsyncResource | undefined;
  #failure: Rejection | undefined;
  #settleClosed!: (error?: Rejection) => void;

  constructor(core: Core, pack: () => Parcel, checked: Checked, most: number) {
    super(most, true);
    this.#core = core;
    this.#pack = pack;
    this.#checked = checked;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve as never;
    });
    // Only a caller of return() needs the error.
    this.closed.catch(() => {});
  }

  protected begin(): void {
    const { signal, timeout, name } = this.#checked;
    this.#core.streams.add(this);
    if (this.#core.callsHost) this.#origin = new AsyncResource('plimsoll.Stream');
    try {
      this.watch(signal, timeout, name);
      if (!this.#isEnding) this.#open();
    } catch (error) {
      this.fail(error);
    }
  }

  /** @throws what the input or its iterator throws, and why the task is refused */
  #open(): void {
    this.#isOpening = true;
    const parcel = this.#pack();
    this.#parcel = parcel;
    const { transfer, original } = parcel;
    const handler = handlerOf(this.#core, this.#checked, STREAMED | parcel.call);
    const { priority, key } = this.#checked;
    const extras = this.#extras({ transfer, original, priority, key, stream: 'opens' });
    const journey = handler === -1 ? undefined : this.#core.escort?.begin(parcel.value, handler);
    this.#journey = journey;
    const sent = journey ?? { value: parcel.value, handler };
    try {
      this.#start(sent.value, sent.handler, extras, (opened) => this.#onOpen(opened));
    } finally {
      journey?.queued();
    }
  }

  #extras(more: Partial<Extras>): Extras {
    const { signal, timeout, grace, retry, host } = this.#checked;
    const abortable = signal !== undefined || timeout !== undefined || grace > 0;
    return { ...NO_EXTRAS, abortable, grace, retry, host, ...more };
  }

  #start(value: unknown, handler: number, extras: Extras, onEnd: (value: unknown) => void): void {
    let task: Task | undefined;
    let hasEnded = false;
    const start = (): Task =>
      this.#core.start(value, handler, extras, (result) => {
        hasEnded = true;
        if (task !== undefined) this.#flying.delete(task);
        onEnd(result);
      });
    task = this.#origin === undefined ? start() : this.#origin.runInAsyncScope(start);
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
    if (this.#isEnding) this.#return(this.worker);
    else this.fill();
  }

  /** Asks for one more item. A worker that was stopped is told nothing more, and its exit fails the stream. */
  protected pull(): boolean {
    const { worker } = this;
    if (worker === undefined || worker.state >= STOPPING || this.#isEnding || this.#isOver) return false;
    if (this.#flying.size >= MOST_FLYING) return false;
    const place = this.take();
    const extras = this.#extras({ stream: 'continues', worker });
    this.#step([NEXT, this.#id], extras, (item) => {
      const [isDone, value] = item instanceof Rejection ? [false, item] : (item as [boolean, unknown]);
      if (item instanceof Rejection) this.#failBy(item.reason);
      if (isDone) {
        this.#over();
        this.end(place);
      } else this.settle(place, value);
      // The loop asks for more than may be made ahead.
      if (this.isAwaited) this.fill();
    });
    return true;
  }

  #step(step: StreamStep, extras: Extras, onEnd: (value: unknown) => void): void {
    this.#start(step, handlerOf(this.#core, this.#checked, CONTINUED), extras, onEnd);
  }

  #return(worker: WorkerHandle): void {
    if (worker.state >= STOPPING) {
      this.#over();
      return;
    }
    const { host } = this.#checked;
    this.#step([RETURN, this.#id], { ...NO_EXTRAS, host, stream: 'continues', worker }, (value) => {
      if (value instanceof Rejection && !isStopped(value.reason)) this.#settleClosed(value);
      this.#over();
    });
  }

  /** Aborted, what runs ends as that of `run()`; else it is asked to end, once what waits is back. Then the iterable closes. */
  protected stop(reason: unknown, why: StopCause): void {
    if (why === 'aborted') {
      this.#failBy(reason);
      for (const task of [...this.#flying]) cancel(this.#core, task, reason, END);
    }
    if (this.#isOver || this.#isEnding) return;
    this.#isEnding = true;
    this.unwatch();
    const grace = this.#checked.grace || Number.POSITIVE_INFINITY;
    for (const task of [...this.#flying])
      if (!cancel(this.#core, task, reason, LEAVE)) cancel(this.#core, task, reason, ASK, grace);
    if (this.worker !== undefined) this.#return(this.worker);
    else if (!this.#isOpening) this.#over();
  }

  /** What has come before that still comes. */
  close(reason: unknown): void {
    if (this.#isEnding) return;
    this.#failBy(reason);
    this.failAtEnd(reason);
    this.stop(reason, 'over');
  }

  /** The same, when the iterable is gone. */
  fail(reason: unknown): void {
    const isWanted = !this.#isEnding;
    this.#failBy(reason);
    this.#over();
    if (isWanted) this.failAtEnd(reason);
  }

  /** The first reason counts, unless the consumer has already stopped. */
  #failBy(reason: unknown): void {
    if (!this.#isEnding) this.#failure ??= new Rejection(reason);
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#journey?.settled(this.#failure);
    this.unwatch();
    if (this.worker !== undefined) this.worker.kept--;
    this.#parcel?.close?.();
    this.#core.streams.delete(this);
    this.#core.changed();
    this.#settleClosed();
  }
}

/** What the iterable was to do at its end has taken it longer than `grace`. */
const isStopped = (reason: unknown): boolean =>
  reason instanceof WorkerError && reason.code === 'PLIMSOLL_POOL_WORKER_STOPPED';
