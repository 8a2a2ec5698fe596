import type { ResizeError } from '../errors.js';
import type { RescueChange, RescueSettings } from './rescuer.js';

/** Asks the engine for a size, a rescue, or (`undefined`) its end, before `deadline`, a time of `clock`. */
export type Request =
  | { readonly size: number; readonly deadline: number }
  | { readonly rescue: RescueSettings | undefined; readonly deadline: number };

/** To the engine: asks whether it runs, or sends a request. */
export type ToEngine =
  | { readonly to: 'engine'; readonly hello: true }
  | ({ readonly to: 'engine'; readonly id: string } & Request);

/** From the engine to all threads; the main thread reports the engine's end. */
export type ToThreads =
  | { readonly to: 'threads'; readonly ready: SharedArrayBuffer; readonly reason: string | undefined }
  | { readonly to: 'threads'; readonly id: string; readonly error: ResizeFailure | undefined }
  | { readonly to: 'threads'; readonly rescue: RescueChange }
  | { readonly to: 'threads'; readonly gone: string };

export type ResizeFailure = Pick<ResizeError, 'code' | 'message'>;
