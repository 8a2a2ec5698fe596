import { WorkerError } from '../errors.js';
import { CONTINUED, NEXT, RETURN, STREAMED, type StreamStep } from '../shared/calls.js';
import { isMovable } from '../shared/move.js';
import type { Core } from './core.js';
import { ASK, cancel, END, LEAVE } from './ends.js';
import type { Journey } from './escort.js';
import { type EndItem, Iteration, mapOver, OVER } from './iterate.js';
import { count, duration, flag, type RunOptions } from './options.js';
import { type Parcel, parcelOf, unmoved } from './parcel.js';
import type { OpenStream } from './state.js';
import { type Checked, check, extrasOf, handlerOf, plainCopy, refuse, transferOf } from './submit.js';
import { type Extras, NO_EXTRAS, Rejection, type Task } from './task.js';
import { STOPPING, type WorkerHandle } from './worker-handle.js';

/** Options of `map()`: the options of `run()` for each item, and two more. */
export interface MapOptions extends Omit<RunOptions, 'transferList'> {
  /**
   * The most items in memory: taken from the source, with results that the loop has not got. Default: twice as many as
   * workers may run at once, or fewer with a small `maxQueue`.
   */
  readonly concurrency?: number | undefined;
  /** Give results in the order of the items; false: each result as soon as it is there. Default: true. */
  readonly ordered?: boolean | undefined;
}

export function mapOf(core: Core, items: unknown, options: MapOptions): Iteration {
  const copy: MapOptions & RunOptions = plainCopy(options);
  refuse('transferList', copy.transferList, 'left out: mark with move() what an item transfers');
  const { maxThreads, concurrentTasksPerWorker, maxQueue } = core.options;
  const checked = check(core, copy);
  const { signal, timeout, grace, key } = checked;
  // A task with a signal or a timeout takes a whole worker, and tasks with a key share one.
  const places = (signal ?? timeout) === undefined ? concurrentTasksPerWorker : 1;
  const running = key === undefined ? maxThreads * places : places;
  const most = count('options.concurrency', copy.concurrency, 1, Number.MAX_SAFE_INTEGER);
  const concurrency = most ?? Math.min(running * 2, running + maxQueue);
  const ordered = flag('options.ordered', copy.ordered) ?? true;
  const keepsContext = (): boolean => core.escort !== undefined || core.callsHost;
  return mapOver(items, { concurrency, ordered, signal, keepsContext }, (item, settle) => {
    const parcel = isMovable(item) ? parcelOf([item]) : unmoved(item);
    const extras = extrasOf(parcel, checked);
    // The signal is that of the whole loop; the timeout is each item's own.
    if (extras !== undefined) extras.signal = undefined;
    const task = core.start(parcel.value, handlerOf(core, checked), extras, settle);
    // If the loop ends without an abort, running tasks go on, unless their `grace` allows asking them to end.
    return (reason, why) => cancel(core, task, reason, why === 'aborted' || grace > 0 ? END : LEAVE);
  });
}

/** Options of `stream()`: the options of `run()`, and one more. Signal and timeout apply to the whole stream. */
export interface StreamOptions extends RunOptions {
  /** The most items that the worker makes before the loop asks for them; 1: only when it asks. Default: 16. */
  readonly highWaterMark?: number | undefined;
}

/** The most steps under way, however many items may be made ahead. */
const MOST_FLYING = 64;

export function streamOf(core: Core, value: unknown, options: StreamOptions): Stream {
  const copy = plainCopy(options);
  const most = count('options.highWaterMark', copy.highWaterMark, 1, Number.MAX_SAFE_INTEGER) ?? 16;
  // In the worker, `task.signal` is that of the stream, not of the task that opens the stream.
  const checked = { ...check(core, copy), grace: duration('options.grace', copy.grace) ?? 0, call: 0 };
  const transfer = transferOf(copy);
  return new Stream(
    core,
    () => parcelOf([value], transfer, false, core.options.maxValueBytes),
    checked,
    most,
  );
}

/** The items of an iterable that a worker keeps. A task makes each item, so the worker is free between two items. */
class Stream extends Iteration implements OpenStream {
  worker: WorkerHandle | undefined;
  readonly #core: Core;
  readonly #pack: () => Parcel;
  readonly #checked: Checked;
  /** Set when the stream opens. Before that, closing the stream ends it at once. */
  #parcel: Parcel | undefined;
  #id = -1;
  #isOver = false;
  /** Events and span of the whole stream. */
  #journey: Journey | undefined;
  /** Set while the iterable is being closed, because the loop wants no more items. */
  #settleClosed: ((error?: Rejection) => void) | undefined;

  constructor(core: Core, pack: () => Parcel, checked: Checked, concurrency: number) {
    const { signal, timeout, name } = checked;
    const limits = { concurrency, ordered: true, signal, timeout, name, keepsContext: () => core.callsHost };
    const requests = { next: () => ({ value: undefined }), return: () => this.#close() };
    super(requests, limits, (_, settle) => this.#request(settle));
    this.#core = core;
    this.#pack = pack;
    this.#checked = checked;
  }

  protected override open(): void {
    this.#core.streams.add(this);
    const parcel = this.#pack();
    this.#parcel = parcel;
    const { transfer, original } = parcel;
    const handler = handlerOf(this.#core, this.#checked, STREAMED | parcel.call);
    const { priority, key } = this.#checked;
    const extras = this.#extras({ transfer, original, priority, key, stream: 'opens' });
    const journey = handler === -1 ? undefined : this.#core.escort?.begin(parcel.value, handler);
    this.#journey = journey;
    const first = journey ?? { value: parcel.value, handler };
    try {
      this.launch(
        (settle) => this.#endOf(this.#core.start(first.value, first.handler, extras, settle)),
        (opened) => this.#onOpen(opened),
      );
    } finally {
      journey?.queued();
    }
  }

  #extras(more: Partial<Extras>): Extras {
    const { signal, timeout, grace, retry, host } = this.#checked;
    const abortable = signal !== undefined || timeout !== undefined || grace > 0;
    return { ...NO_EXTRAS, abortable, grace, retry, host, ...more };
  }

  /** An abort ends the task as in `run()`; otherwise the task is asked to end. */
  #endOf(task: Task): EndItem {
    return (reason, why) =>
      why === 'aborted'
        ? cancel(this.#core, task, reason, END)
        : cancel(this.#core, task, reason, ASK, this.#checked.grace || Number.POSITIVE_INFINITY);
  }

  #onOpen(opened: unknown): void {
    if (opened instanceof Rejection) {
      this.fail(opened.reason);
      return;
    }
    const [index, id] = opened as [number, number];
    const { workers, exiting } = this.#core;
    // A worker that has exited meanwhile fails the stream right after this.
    const worker = [...workers, ...exiting].find((candidate) => candidate.index === index) as WorkerHandle;
    this.worker = worker;
    worker.openStreams++;
    this.#id = id;
    if (this.#settleClosed !== undefined) this.#return(worker);
    else this.fill();
  }

  /** A stopped worker gets no more steps; its exit fails the stream. */
  protected override mayBegin(): boolean {
    const { worker } = this;
    return worker !== undefined && worker.state < STOPPING && this.underWay < MOST_FLYING;
  }

  #request(settle: (outcome: unknown) => void): EndItem {
    const extras = this.#extras({ stream: 'continues', worker: this.worker });
    const task = this.#step([NEXT, this.#id], extras, (item) => {
      const [isDone, value] = item instanceof Rejection ? [false, item] : (item as [boolean, unknown]);
      settle(isDone ? OVER : value);
      if (isDone) this.#over();
    });
    return this.#endOf(task);
  }

  #step(step: StreamStep, extras: Extras, onEnd: (value: unknown) => void): Task {
    return this.#core.start(step, handlerOf(this.#core, this.#checked, CONTINUED), extras, onEnd);
  }

  #close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#settleClosed = resolve as never;
    });
    if (this.#isOver) this.#settleClosed?.();
    else if (this.worker !== undefined) this.#return(this.worker);
    else if (this.#parcel === undefined) this.#over();
    return closed;
  }

  #return(worker: WorkerHandle): void {
    if (worker.state >= STOPPING) {
      this.#over();
      return;
    }
    const { host } = this.#checked;
    const extras: Extras = { ...NO_EXTRAS, host, stream: 'continues', worker };
    const onEnd = (value: unknown): void => {
      if (value instanceof Rejection && !isStopped(value.reason)) this.#settleClosed?.(value);
      this.#over();
    };
    this.inContext(() => this.#step([RETURN, this.#id], extras, onEnd));
  }

  /** Not before the iterable is closed: the end of the loop may wait for an item that only the signal or timeout ends. */
  protected override unwatch(): void {
    if (this.#isOver) super.unwatch();
  }

  override fail(reason: unknown): void {
    super.fail(reason);
    this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#journey?.settled(this.failure);
    this.unwatch();
    if (this.worker !== undefined) this.worker.openStreams--;
    this.#parcel?.close?.();
    this.#core.streams.delete(this);
    this.#core.changed();
    this.#settleClosed?.();
  }
}

/** The iterable took longer than `grace` to close. */
const isStopped = (reason: unknown): boolean =>
  reason instanceof WorkerError && reason.code === 'PLIMSOLL_POOL_WORKER_STOPPED';
