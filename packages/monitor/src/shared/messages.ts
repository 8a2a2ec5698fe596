import type { Origin } from './clock.js';

/** What the Worker is started with. */
export interface Startup {
  readonly buffer: SharedArrayBuffer;
  readonly origin: Origin;
  /** Mean milliseconds between canaries of each class. */
  readonly resolution: number;
  readonly slowResolution: number;
  readonly watches: readonly WatchOptions[];
}

export interface WatchOptions {
  readonly id: number;
  /** In nanoseconds. */
  readonly wait: number;
  readonly period: number;
}

/** What the host posts: watch for this, or watch no more for that. */
export type ToWorker = { readonly add: WatchOptions } | { readonly remove: number };

/** What the Worker posts when a watch changes its mind. */
export interface WatchNews {
  readonly id: number;
  readonly saturated: boolean;
  /** The wait that decided it, in nanoseconds; of a canary that is still out, its age. */
  readonly wait: number;
}
