import type { ResizeErrorCode } from '../errors.js';

/** To the engine: who is there, or a size that is wanted until a time of `performance.timeOrigin + performance.now()`… see `clock`. */
export type ToEngine =
  | { readonly to: 'engine'; readonly hello: true }
  | { readonly to: 'engine'; readonly id: string; readonly size: number; readonly deadline: number };

/** From the engine, and of its end from the main thread, to every thread that has asked for a size. */
export type ToThreads =
  | { readonly to: 'threads'; readonly ready: SharedArrayBuffer; readonly reason: string | undefined }
  | { readonly to: 'threads'; readonly id: string; readonly error: ResizeFailure | undefined }
  | { readonly to: 'threads'; readonly gone: string };

export interface ResizeFailure {
  readonly code: ResizeErrorCode;
  readonly message: string;
}

/** Milliseconds of the monotonic clock that all threads share. */
export function clock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
