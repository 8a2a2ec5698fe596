import { type Pool, PoolError } from '@plimsoll/pool';

/** No worker file exports this. */
const NOTHING = '@plimsoll/fastify: does the file load?';

/**
 * Waits until a worker has loaded the pool's file, without calling anything of it: it is asked for a function that
 * does not exist, and the right answer is that there is none.
 *
 * Rejects with what hinders the file or the worker; the pool keeps the true error as `cause`.
 */
export async function requireLoadable(pool: Pool): Promise<void> {
  if (pool.options.filename === null) return;
  try {
    await pool.run(undefined, { name: NOTHING });
  } catch (error) {
    if (!isNoSuchFunction(error)) throw error;
  }
  // The start of a worker is no task's wait.
  pool.histogram.resetRunTime();
  pool.histogram.resetWaitTime();
}

const isNoSuchFunction = (error: unknown): boolean =>
  error instanceof PoolError &&
  error.code === 'PLIMSOLL_POOL_LOAD_FAILED' &&
  !('cause' in error) &&
  error.message.includes(NOTHING);
