import type { ResizableThreadPool } from '@plimsoll/monitor/resize';

export interface Pool {
  readonly observed: number | null;
  /** Why it keeps the size that it was started with; `null` when it can be resized. */
  readonly fixed: string | null;
  resize(size: number): Promise<void>;
}

/** A longer job counts as endless. */
const RESIZE_MS = 60_000;

export const fixedPool = (observed: number | null, fixed: string | null = null): Pool => ({
  observed,
  fixed,
  async resize() {},
});

/**
 * The pool as `@plimsoll/monitor` resizes it, by threads that it parks or ends. That engine counts the threads that are left before
 * it says that a size is in force.
 *
 * @param observed threads that were counted when it started.
 * @param looksUp its work may be lookups, of which libuv lets (size + 1) / 2 run at a time.
 */
export async function resizablePool(observed: number | null, looksUp: boolean): Promise<Pool> {
  let threadPool: ResizableThreadPool;
  try {
    if (observed === null) throw new Error('its threads cannot be counted here');
    ({ threadPool } = await import('@plimsoll/monitor/resize'));
    // Whether it works here shows when it is done.
    if (observed > 1) await threadPool.resize(observed - 1, { timeoutMs: RESIZE_MS });
    if (looksUp && observed > 1 && threadPool.slowLimit !== observed >> 1)
      throw new Error("libuv's lookup limit does not follow the pool size here");
    await threadPool.resize(observed, { timeoutMs: RESIZE_MS });
  } catch (error) {
    return fixedPool(observed, error instanceof Error ? error.message : String(error));
  }
  return {
    get observed() {
      return threadPool.size ?? null;
    },
    fixed: null,
    async resize(size) {
      await threadPool.resize(size, { timeoutMs: RESIZE_MS });
      // For modules that read it.
      process.env.UV_THREADPOOL_SIZE = String(size);
    },
  };
}
