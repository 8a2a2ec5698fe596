import type { Transferable } from 'node:worker_threads';
import type { RetryPolicy } from './fault-options.js';
import type { Key } from './keys.js';
import type { WorkerHandle } from './worker-handle.js';

// Where a task is. Only the table knows whether it runs.
/** Neither in the queue nor in the table. */
export const LOOSE = 0;
/** In the host's queue. */
export const WAITING = 1;
/** In the table, until its end is read there. */
export const PUBLISHED = 2;
export const SETTLED = 3;

/** Lets go of a signal or a timer. */
export type Release = () => void;

/** Begins to watch for what ends a task early; returns how to stop that. */
export type Watch = (end: (reason: unknown) => void, name: string) => Release;

/** A task on the host, from `run()` until its promise is settled. Kept small: a million may wait. */
export class Task {
  state: number = LOOSE;
  slot = -1;
  value: unknown;
  readonly handler: number;
  /** By the clock that all threads share. */
  readonly created: number;
  readonly resolve: (value: unknown) => void;
  readonly extras: Extras | undefined;

  constructor(
    value: unknown,
    handler: number,
    created: number,
    resolve: (value: unknown) => void,
    extras: Extras | undefined,
  ) {
    this.value = value;
    this.handler = handler;
    this.created = created;
    this.resolve = resolve;
    this.extras = extras;
  }

  /** A `reject` of its own would be one closure more for each of a million that wait. */
  reject(reason: unknown): void {
    this.resolve(new Rejection(reason));
  }

  /** Its worker may be killed for it, so it shares that worker with no other task. */
  get abortable(): boolean {
    return this.extras?.abortable ?? false;
  }

  /** Which worker it is for, if not for whoever is free. */
  get pin(): Pin | undefined {
    return this.extras?.beyond?.pin;
  }

  /** No worker but one can run it. */
  get isBound(): boolean {
    return this.extras?.beyond?.stream === 'continues';
  }

  get hasTransfer(): boolean {
    return this.extras !== undefined && this.extras.transfer.length > 0;
  }
}

/** A promise that is resolved with it rejects, one microtask later. */
export class Rejection {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }

  // biome-ignore lint/suspicious/noThenProperty: a thenable is what it is for
  then(_resolve: unknown, reject: (reason: unknown) => void): void {
    reject(this.reason);
  }
}

/** What few tasks have. */
export interface Extras {
  readonly transfer: readonly Transferable[];
  readonly abortable: boolean;
  readonly priority: number;
  /** The value as the caller passed it, when `move` wrapped it: custom queues look for options there. */
  readonly original: unknown;
  release: Release | undefined;
  /** Left out of tasks that need none of it. */
  readonly beyond?: Beyond;
}

/** Which worker a task is for: that of a key, or this one. */
export interface Pin {
  readonly key: Key | undefined;
  readonly worker: WorkerHandle | undefined;
}

/** What still fewer have. */
export interface Beyond {
  /** Milliseconds from when it is asked to end until its worker is stopped. */
  readonly grace: number;
  /** Instead of the pool's. */
  readonly retry: RetryPolicy | undefined;
  /** It is for one worker alone. */
  readonly pin?: Pin | undefined;
  /** A stream of which it is a part. One that continues it can be run by the worker alone that keeps that stream. */
  readonly stream?: 'opens' | 'continues';
  /** It was asked to end: so it settles, whatever becomes of it; but for parts of streams, which see to that themselves. */
  verdict?: { readonly reason: unknown };
}
