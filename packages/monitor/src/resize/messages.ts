import type { ResizeError } from '../errors.js';
import type { RescueChange, RescueSettings } from './rescuer.js';

/** What an engine is asked for: a size until a time of `clock`, or a rescue, until then started, or its end. */
export type Request =
  | { readonly size: number; readonly deadline: number }
  | { readonly rescue: RescueSettings | undefined; readonly deadline: number };

/** To the engine: who is there, or a request. */
export type ToEngine =
  | { readonly to: 'engine'; readonly hello: true }
  | ({ readonly to: 'engine'; readonly id: string } & Request);

/** From the engine, and of its end from the main thread, to every thread that has asked for a size. */
export type ToThreads =
  | { readonly to: 'threads'; readonly ready: SharedArrayBuffer; readonly reason: string | undefined }
  | { readonly to: 'threads'; readonly id: string; readonly error: ResizeFailure | undefined }
  | { readonly to: 'threads'; readonly rescue: RescueChange }
  | { readonly to: 'threads'; readonly gone: string };

export type ResizeFailure = Pick<ResizeError, 'code' | 'message'>;
