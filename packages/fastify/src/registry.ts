import type { Pool } from '@plimsoll/pool';
import type { FastifyInstance } from 'fastify';
import { noPool, poolExists } from './errors.js';
import type { HttpOptions } from './options.js';

/** The plugin's own options of each pool. */
export const httpOf = new WeakMap<Pool, HttpOptions>();

/** What a parent has is seen through the prototype, until a child takes the name. */
type Seen = { readonly [namespace: string]: Pool } | undefined;

/** @throws Error, code PLIMSOLL_FASTIFY_POOL_EXISTS */
export function requireFree(fastify: FastifyInstance, namespace: string): void {
  if (Object.hasOwn(fastify, 'pools') && Object.hasOwn(fastify.pools, namespace)) throw poolExists(namespace);
}

export function addPool(fastify: FastifyInstance, namespace: string, pool: Pool): void {
  if (!Object.hasOwn(fastify, 'pools')) {
    fastify.decorate('pools', Object.create((fastify.pools as Seen) ?? null));
  }
  Object.defineProperty(fastify.pools, namespace, { value: pool, enumerable: true });
}

/** Every pool that can be seen, the nearest of each name. */
export function poolsOf(fastify: FastifyInstance): Record<string, Pool> {
  const all: Record<string, Pool> = Object.create(null);
  for (const namespace in fastify.pools) all[namespace] = fastify.pools[namespace as never] as Pool;
  return all;
}

/** @throws Error, code PLIMSOLL_FASTIFY_NO_POOL */
export function poolFor(fastify: FastifyInstance, namespace: unknown = 'default'): Pool {
  const found = typeof namespace === 'string' ? (fastify.pools as Seen)?.[namespace] : undefined;
  if (found !== undefined) return found;
  throw noPool(namespace, Object.keys(poolsOf(fastify)));
}
