/**
 * How the function of a handler is called, as bits. None: with the value of the task. What is more than that is done by a
 * wrapper around the function, so the loop of a worker knows nothing of it.
 */
/** The value is an array, and its items are the arguments. */
export const SPREAD = 1;
