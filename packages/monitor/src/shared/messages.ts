import type { Origin } from './clock.js';

/** `workerData` of the Worker. */
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

/** The host adds or removes a watch. */
export type ToWorker = { readonly add: WatchOptions } | { readonly remove: number };

/** The Worker reports that saturation begins or ends. */
export interface WatchNews {
  readonly id: number;
  readonly saturated: boolean;
  /** The deciding wait in nanoseconds; for a canary that is out, its age. */
  readonly wait: number;
}
