import type { Pool } from '@plimsoll/pool';
import { LONGEST_TIMER } from '@plimsoll/pool/internal';
import type { FastifyInstance } from 'fastify';

/**
 * Closes the pool with the server. Requests that are under way get their results; the limit counts from the call of
 * `fastify.close()`, since Fastify waits for those requests before `onClose`, and they for their tasks.
 */
export function closeWithServer(fastify: FastifyInstance, pool: Pool, namespace: string): void {
  const { closeTimeout } = pool.options;
  let limit: NodeJS.Timeout | undefined;
  fastify.addHook('preClose', async () => {
    if (closeTimeout === Number.POSITIVE_INFINITY) return;
    // Fastify 4 calls this again for each child context that was there before.
    limit ??= setTimeout(
      () => {
        fastify.log.warn({ pool: namespace, closeTimeout }, 'plimsoll: tasks did not end in time; stopping');
        // `onClose` says what could not be ended.
        pool.destroy().catch(() => {});
      },
      Math.min(closeTimeout, LONGEST_TIMER),
    );
  });
  fastify.addHook('onClose', async () => {
    await pool.close().finally(() => clearTimeout(limit));
  });
}
