import { AsyncResource } from 'node:async_hooks';
import type { Transferable } from 'node:worker_threads';
import type { Handler } from '../shared/messages.js';
import { isError } from '../shared/untrusted.js';
import type { AbortSignalAny, HostFunctions, Key, RetryPolicy } from './options.js';
import type { WorkerHandle } from './worker-handle.js';

/** Numbers for handlers: a task carries only the number. No number is given twice. */
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

/** Keys share this many places, so a million keys need no more memory; keys with the same place share a worker. */
const KEY_PLACES = 2 ** 14;

/** The place of a key, by FNV-1a. The number 1 and the string '1' are different keys. */
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
/** In the lane of its worker, or in `homeless` while there is no worker. */
export const IN_LANE = 2;
/** In the table; only its slot knows whether a worker runs it. */
export const IN_TABLE = 3;
/** It waits for its backoff after its worker died, or for a worker to post it back. */
export const PAUSED = 4;
export const SETTLED = 5;

export const NO_EXTRAS = {
  transfer: [] as readonly Transferable[],
  /** Its transferred buffers are copied with its value, and detached when its function has ended. */
  isCopied: false,
  isSent: false,
  /** An abort may stop its worker, so it shares the worker with no other task. */
  abortable: false,
  /** Undefined if a loop watches the signal for all its tasks. */
  signal: undefined as AbortSignalAny | undefined,
  timeout: undefined as number | undefined,
  priority: 0,
  /** What the caller passed, if `value` differs: custom queues look for options there. */
  original: undefined as unknown,
  /** Milliseconds between the request to end and the stop of its worker. */
  grace: 0,
  retry: undefined as RetryPolicy | undefined,
  key: undefined as Key | undefined,
  host: undefined as HostFunctions | undefined,
  /** It opens a stream, or is a step of an open stream, which only the stream's worker can run. */
  stream: undefined as 'opens' | 'continues' | undefined,
  /** The only worker that may run it, because of its key, stream or broadcast. */
  worker: undefined as WorkerHandle | undefined,
  release: undefined as (() => void) | undefined,
  /** Set once it was asked to end: it rejects with this reason, however it ends. */
  verdict: undefined as { readonly reason: unknown } | undefined,
};

export type Extras = typeof NO_EXTRAS;

export type Resolve = (outcome: unknown) => void;

const settled = Promise.resolve();

/** A failed outcome: a promise that is resolved with it rejects some microtasks later. */
export class Rejection {
  constructor(
    readonly reason: unknown,
    /** The reason comes from a worker, so its stack lacks the host's functions that await the task. */
    readonly isForeign = false,
  ) {}

  // biome-ignore lint/suspicious/noThenProperty: a thenable is what it is for
  then(resolve: (value: unknown) => void, reject: (reason: unknown) => void): void {
    if (this.isForeign && isError(this.reason)) resolve(withCallers(this.reason));
    else reject(this.reason);
  }
}

/** Adds the async callers to the error's stack. V8 finds them from a promise reaction, so submission captures nothing. */
function withCallers(error: Error): Promise<never> {
  // One microtask later, the promise of the task depends on this one.
  return settled.then().then(function addCallers(): never {
    try {
      const capture = { stack: '' };
      Error.captureStackTrace(capture, addCallers);
      const callers = capture.stack.indexOf('\n    at async ');
      if (callers !== -1 && typeof error.stack === 'string') error.stack += capture.stack.slice(callers);
    } catch {
      // Some runtimes and programs remove or replace `captureStackTrace`.
    }
    throw error;
  });
}

/** A task on the host, from its submission until it is settled. Kept small: a million may wait. */
export class Task {
  place: number = LOOSE;
  slot = -1;
  /** Tasks are due in the order of their numbers, unless priorities differ. */
  number = 0;
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

  /** A method, because a stored function would cost each of a million waiting tasks a closure. */
  reject(reason: unknown, isForeign = false): void {
    this.resolve(new Rejection(reason, isForeign));
  }

  get abortable(): boolean {
    return this.extras?.abortable ?? false;
  }

  get priority(): number {
    return this.extras?.priority ?? 0;
  }

  /** It is for one worker alone: that of its key, its stream or its broadcast. */
  get isPinned(): boolean {
    const { extras } = this;
    return extras !== undefined && (extras.key !== undefined || extras.worker !== undefined);
  }

  /** No other worker could ever run it, unlike a task with a key. */
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

/** A task that may call host functions: they run in the async context where the task was submitted. */
export class CallingTask extends Task {
  readonly origin = new AsyncResource('plimsoll.Task');
}
