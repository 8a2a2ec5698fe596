import { prometheusText as monitorText, type ThreadPoolMonitor } from '@plimsoll/monitor';
import { Pool } from '@plimsoll/pool';
import { prometheusContentType, prometheusText } from '@plimsoll/pool/observe';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import fp from 'fastify-plugin';
import { closeWithServer } from './close.js';
import { type PlimsollPoolOptions, separate } from './options.js';
import { addPool, hasPools, httpOf, poolFor, poolsOf, requireFree } from './registry.js';
import { decorateRequests } from './request.js';
import { type GivenOptions, run } from './run-task.js';
import { shedWhenSaturated } from './shed.js';
import type { RunTask } from './types.js';

const register: FastifyPluginAsync<PlimsollPoolOptions> = async (fastify, options) => {
  const { http, pool: poolOptions } = separate(options);
  const { namespace, metrics, shed } = http;
  requireFree(fastify, namespace);
  const pool = new Pool(poolOptions);
  pool.on('error', (error) => fastify.log.error({ err: error, pool: namespace }, 'plimsoll: pool error'));
  httpOf.set(pool, http);
  closeWithServer(fastify, pool, namespace);
  decorate(fastify, pool, namespace);
  const monitor = shed && shedWhenSaturated(fastify, shed, http);
  if (metrics !== undefined) addMetrics(fastify, metrics, monitor);
  try {
    if (pool.options.filename !== null) await pool.names();
  } catch (error) {
    await pool.destroy();
    throw error;
  }
  // The start of a worker is no task's wait.
  pool.histogram.resetRunTime();
  pool.histogram.resetWaitTime();
};

function decorate(fastify: FastifyInstance, pool: Pool, namespace: string): void {
  if (!hasPools(fastify)) {
    const runTask = async (task: unknown, options: GivenOptions): Promise<unknown> =>
      run(poolFor(fastify, options?.pool), task, options);
    fastify.decorate('runTask', runTask as RunTask);
  }
  addPool(fastify, namespace, pool);
  if (namespace === 'default') fastify.decorate('pool', pool as never);
  decorateRequests(fastify);
}

function addMetrics(fastify: FastifyInstance, path: string, monitor: ThreadPoolMonitor | undefined): void {
  fastify.get(path, { config: { shed: false } }, (_, reply) => {
    const text = prometheusText(poolsOf(fastify));
    reply.type(prometheusContentType).send(monitor === undefined ? text : text + monitorText(monitor));
  });
}

/**
 * The Fastify plugin: a pool of worker threads for the context that it is registered in, and its children.
 *
 * Decorates `fastify.pool`, `fastify.pools`, `fastify.runTask` and `request.runTask`. `ready()` rejects when an option
 * is wrong (TypeError or RangeError, codes PLIMSOLL_POOL_BAD_OPTION and PLIMSOLL_FASTIFY_BAD_OPTION), when the context
 * has a pool of that namespace (PLIMSOLL_FASTIFY_POOL_EXISTS), and when the worker file fails to load
 * (PLIMSOLL_POOL_LOAD_FAILED, with the true error as `cause`).
 *
 * @example
 * fastify.register(plimsollPool, { filename: new URL('./worker.js', import.meta.url), maxQueue: 100 });
 * fastify.get('/', (request) => request.runTask({ a: 4, b: 6 }));
 */
export const plimsollPool: FastifyPluginAsync<PlimsollPoolOptions> = fp(register, {
  fastify: '^4.29.0 || ^5.0.0',
  name: '@plimsoll/fastify',
});
