import type { Pool } from '@plimsoll/pool';
import type { FastifyInstance } from 'fastify';
import { noPool, poolExists } from './errors.js';
import type { HttpOptions } from './options.js';

/** The plugin's own options of each pool. */
export const httpOf = new WeakMap<Pool, HttpOptions>();

const kPools = Symbol('plimsoll.pools');

/** What a parent has is seen through the prototype, until a child takes the name. The application may have `pools`, too. */
const seenBy = (fastify: FastifyInstance): { readonly [namespace: string]: Pool } | undefined =>
  (fastify as { [kPools]?: { [namespace: string]: Pool } })[kPools];

/** This context has a pool, not only an ancestor of it. */
export const hasPools = (fastify: FastifyInstance): boolean => Object.hasOwn(fastify, kPools);

/** @throws Error, code PLIMSOLL_FASTIFY_POOL_EXISTS */
export function requireFree(fastify: FastifyInstance, namespace: string): void {
  if (hasPools(fastify) && Object.hasOwn(Object(seenBy(fastify)), namespace)) throw poolExists(namespace);
}

/** @throws Fastify's error for an application that has `pools` in this context */
export function addPool(fastify: FastifyInstance, namespace: string, pool: Pool): void {
  if (!hasPools(fastify)) {
    const pools = Object.create(seenBy(fastify) ?? null);
    fastify.decorate('pools', pools).decorate(kPools, pools);
  }
  Object.defineProperty(seenBy(fastify), namespace, { value: pool, enumerable: true });
}

/** Every pool that can be seen, the nearest of each name. */
export function poolsOf(fastify: FastifyInstance): Record<string, Pool> {
  const all: Record<string, Pool> = Object.create(null);
  const seen = seenBy(fastify);
  for (const namespace in seen) all[namespace] = seen[namespace] as Pool;
  return all;
}

/** @throws Error, code PLIMSOLL_FASTIFY_NO_POOL */
export function poolFor(fastify: FastifyInstance, namespace: unknown = 'default'): Pool {
  const pool = typeof namespace === 'string' ? seenBy(fastify)?.[namespace] : undefined;
  if (pool !== undefined) return pool;
  throw noPool(namespace, Object.keys(poolsOf(fastify)));
}
