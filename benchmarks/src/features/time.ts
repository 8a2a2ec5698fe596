/** How often, and for how long, one looks for what has no event. */
const EVERY_MS = 10;
const PATIENCE_MS = 20_000;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @returns whether it became true in time. */
export async function until(isTrue: () => boolean, ms = PATIENCE_MS): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await pause(EVERY_MS)) if (isTrue()) return true;
  return isTrue();
}

/** How a promise stands: `pending`, or how it ended. */
export interface Settled {
  state: 'pending' | 'fulfilled' | 'rejected';
  value?: unknown;
  error?: unknown;
}

/** Watches a promise, of whatever kind; its rejection is handled. */
export function watch(promise: PromiseLike<unknown>): Settled {
  const settled: Settled = { state: 'pending' };
  promise.then(
    (value) => Object.assign(settled, { state: 'fulfilled', value }),
    (error: unknown) => Object.assign(settled, { state: 'rejected', error }),
  );
  return settled;
}

/** Calls what may throw instead of rejecting. */
export function attempt(call: () => PromiseLike<unknown>): Settled {
  try {
    return watch(call());
  } catch (error) {
    return { state: 'rejected', error };
  }
}

export const isOver = (settled: Settled): boolean => settled.state !== 'pending';

/** Waits until a promise is settled, or the time is up. */
export async function settledWithin(ms: number, promise: PromiseLike<unknown>): Promise<Settled> {
  const settled = watch(promise);
  await until(() => isOver(settled), ms);
  return settled;
}

/** The message of a failure, on one line. */
export function reasonOf(error: unknown): string {
  if (typeof error === 'object' && !(error instanceof Error)) return 'an object that is no Error';
  const text = error instanceof Error ? error.message : String(error);
  return text === '' ? 'an Error without a message' : (text.split('\n')[0] as string);
}
