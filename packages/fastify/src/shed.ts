import { monitorThreadPool, type ThreadPoolMonitor } from '@plimsoll/monitor';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { poolSaturated } from './errors.js';
import type { HttpOptions, ShedOptions } from './options.js';

const FOR_MS = 100;

/**
 * Refuses requests while jobs wait too long for a thread of libuv's pool: what is taken in then waits for its files, hashes and
 * lookups behind all the others, and its client has often gone when it gets them.
 *
 * @returns the monitor, which lives from `ready()` to `close()`
 */
export function shedWhenSaturated(
  fastify: FastifyInstance,
  { poolWaitMs, forMs = FOR_MS }: ShedOptions,
  { retryAfter }: HttpOptions,
): ThreadPoolMonitor {
  const monitor = monitorThreadPool();
  let isSaturated = false;
  monitor.onSaturation({ waitMs: poolWaitMs, forMs }, ({ saturated }) => {
    isSaturated = saturated;
  });
  fastify.addHook('onReady', async () => {
    monitor.enable();
  });
  fastify.addHook('onRequest', (request, _, done) => {
    if (isSaturated && isShed(request)) done(poolSaturated(poolWaitMs, retryAfter));
    else done();
  });
  fastify.addHook('onClose', async () => {
    monitor.disable();
  });
  return monitor;
}

const isShed = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.shed !== false;
