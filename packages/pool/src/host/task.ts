import { AsyncResource } from 'node:async_hooks';
import type { Transferable } from 'node:worker_threads';
import type { Handler } from '../shared/messages.js';
import { isError } from '../shared/untrusted.js';
import type { AbortSignalAny, HostFunctions, Key, RetryPolicy } from './options.js';
import type { WorkerHandle } from './worker-handle.js';

/** Handlers by number, and the numbers of handlers: tasks carry the number alone. No number is given twice. */
export class HandlerNames {
  readonly byId = new Map<number, Handler>();
  readonly #ids = new Map<string, Map<string, number>>();
  readonly #onNew: (id: number, handler: Handler) => void;
  #next = 0;

  constructor(onNew: (id: number, handler: Handler) => void) {
    this.#onNew = onNew;
  }

  idOf(filename: string, name: string, call = 0): number {
    const names = this.#ids.get(filename) ?? new Map<string, number>();
    const key = call === 0 ? name : `${name}\0${call}`;
    const existing = names.get(key);
    if (existing !== undefined) return existing;
    const handler = { filename, name, call };
    const id = this.#next++;
    this.byId.set(id, handler);
    this.#ids.set(filename, names.set(key, id));
    this.#onNew(id, handler);
    return id;
  }

  of(id: number): Handler {
    return this.byId.get(id) as Handler;
  }

  forgetAllBut(used: ReadonlySet<number>): number[] {
    const forgotten = [...this.byId.keys()].filter((id) => !used.has(id));
    for (const id of forgotten) this.byId.delete(id);
    for (const [filename, names] of this.#ids) {
      for (const [key, id] of names) if (!used.has(id)) names.delete(key);
      if (names.size === 0) this.#ids.delete(filename);
    }
    return forgotten;
  }
}

/** Keys share so many places: a million of them need no more memory, and two that meet share a worker. */
const KEY_PLACES = 2 ** 14;

/** The place of a key, by FNV-1a. A number is another key than its text. */
export function placeOf(key: Key): number {
  const text = typeof key === 'number' ? `#${key}` : `"${key}`;
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 16)) & (KEY_PLACES - 1);
}

// Where a task is: always in exactly one place.
export const LOOSE = 0;
export const QUEUED = 1;
/** In the lane of its worker, or among the homeless while there is no worker. */
export const IN_LANE = 2;
/** In the table; that alone knows whether a worker runs it. */
export const IN_TABLE = 3;
/** It died with its worker and runs again after its backoff, or a worker is to post it back. */
export const PAUSED = 4;
export const SETTLED = 5;

/** What only tasks with options have. */
export const NO_EXTRAS = {
  transfer: [] as readonly Transferable[],
  /** What it transfers is copied with its value, and detached when its function has ended. */
  isCopied: false,
  isSent: false,
  /** Its worker may be killed for it, so it shares that worker with no other task. */
  abortable: false,
  /** What ends it, unless the loop to which it belongs sees to that. */
  signal: undefined as AbortSignalAny | undefined,
  timeout: undefined as number | undefined,
  priority: 0,
  /** The value as the caller passed it, when `move` wrapped it: custom queues look for options there. */
  original: undefined as unknown,
  /** Milliseconds from when it is asked to end until its worker is stopped. */
  grace: 0,
  retry: undefined as RetryPolicy | undefined,
  key: undefined as Key | undefined,
  host: undefined as HostFunctions | undefined,
  /** A stream that it opens, or a step of one, which only the worker that keeps the stream can run. */
  stream: undefined as 'opens' | 'continues' | undefined,
  /** The only worker that may run it: of its key, of its stream, or of its part of a broadcast. */
  worker: undefined as WorkerHandle | undefined,
  release: undefined as (() => void) | undefined,
  /** It was asked to end, so it rejects with that, however it ends. */
  verdict: undefined as { readonly reason: unknown } | undefined,
};

export type Extras = typeof NO_EXTRAS;

export type Resolve = (outcome: unknown) => void;

const settled = Promise.resolve();

/** A promise that is resolved with it rejects, some microtasks later. */
export class Rejection {
  constructor(
    readonly reason: unknown,
    /** It comes from a worker, so its stack says nothing of the functions here that await the task. */
    readonly isForeign = false,
  ) {}

  // biome-ignore lint/suspicious/noThenProperty: a thenable is what it is for
  then(resolve: (value: unknown) => void, reject: (reason: unknown) => void): void {
    if (this.isForeign && isError(this.reason)) resolve(withCallers(this.reason));
    else reject(this.reason);
  }
}

/**
 * Rejects with the error, once its stack ends with the functions that await it. V8 finds those from inside a reaction, through the
 * promises that follow the reaction's own; so nothing has to be noted when a task is submitted.
 */
function withCallers(error: Error): Promise<never> {
  // One microtask more: by then the promise of the task follows this one.
  return settled.then().then(function addCallers(): never {
    try {
      const capture = { stack: '' };
      Error.captureStackTrace(capture, addCallers);
      const callers = capture.stack.indexOf('\n    at async ');
      if (callers !== -1 && typeof error.stack === 'string') error.stack += capture.stack.slice(callers);
    } catch {
      // Not every runtime, nor every program, leaves V8's way to look at stacks in its place.
    }
    throw error;
  });
}

/** A task on the host, from its submission until it is settled. Kept small: a million may wait. */
export class Task {
  place: number = LOOSE;
  /** Of the table, while it is there. */
  slot = -1;
  /** Tasks are due in the order of their numbers, unless priorities differ. */
  number = 0;
  /** Neighbours in the list where it waits. */
  previous: Task | undefined;
  next: Task | undefined;

  constructor(
    public value: unknown,
    readonly handler: number,
    readonly created: number,
    /** Gets the result, or a `Rejection`. */
    readonly resolve: Resolve,
    readonly extras: Extras | undefined,
  ) {}

  /** A `reject` of its own would be one closure more for each of a million that wait. */
  reject(reason: unknown, isForeign = false): void {
    this.resolve(new Rejection(reason, isForeign));
  }

  get abortable(): boolean {
    return this.extras?.abortable ?? false;
  }

  get priority(): number {
    return this.extras?.priority ?? 0;
  }

  get isPinned(): boolean {
    const { extras } = this;
    return extras !== undefined && (extras.key !== undefined || extras.worker !== undefined);
  }

  /** No other worker could ever run it. */
  get isBound(): boolean {
    const { extras } = this;
    return extras !== undefined && extras.key === undefined && extras.worker !== undefined;
  }

  get isStep(): boolean {
    return this.extras?.stream === 'continues';
  }

  get hasTransfer(): boolean {
    const { extras } = this;
    return extras !== undefined && extras.transfer.length > 0 && !extras.isCopied;
  }
}

/** A task that may call functions of the host: they run where it was submitted, with the stores of `AsyncLocalStorage` there. */
export class CallingTask extends Task {
  readonly origin = new AsyncResource('plimsoll.Task');
}
