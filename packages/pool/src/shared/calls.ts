/**
 * How the function of a handler is called, as bits. None: with the value of the task. What is more than that is done by a
 * wrapper around the function, so the loop of a worker knows nothing of it.
 */
/** The value is an array, and its items are the arguments. */
export const SPREAD = 1;
/** The call has a context: `task` of `@plimsoll/pool/worker`. */
export const OBSERVED = 2;
/** The value is a `Packed`: what travels beside the task is restored around the call. */
export const CARRIED = 64;

/** A function of a worker file, or a wrapper around one: the loop gives it one value. */
export type TaskFunction = (...task: unknown[]) => unknown;
