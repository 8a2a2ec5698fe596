import type { Transferable } from 'node:worker_threads';

/** An AbortSignal, or an EventEmitter that emits 'abort'. */
export type AbortSignalAny = AbortSignal | AbortEmitter;

/** The part of an EventEmitter that the pool uses. */
export interface AbortEmitter {
  once(event: 'abort', listener: () => void): unknown;
  off(event: 'abort', listener: () => void): unknown;
}

/** Options of one `run()`. */
export interface RunOptions {
  /** Objects to move to the worker instead of copying them. The caller cannot use them any more. */
  readonly transferList?: readonly Transferable[] | undefined;
  /** The worker file, instead of the pool's. */
  readonly filename?: string | URL | null | undefined;
  /** The exported function, instead of the pool's. */
  readonly name?: string | null | undefined;
  /** Ends the task when it is aborted: removed from the queue, or its worker killed and replaced. */
  readonly signal?: AbortSignalAny | null | undefined;
  /** Tasks with higher numbers run first. Any whole number. Default: 0. */
  readonly priority?: number | undefined;
  /** Milliseconds from `run()` after which the task is ended like an aborted one. Default: none. */
  readonly timeout?: number | undefined;
}
