import type { Pool } from '@plimsoll/pool';
import type { FastifyInstance } from 'fastify';
import { poolExists } from './errors.js';
import type { HttpOptions } from './options.js';

/** A pool as a context knows it. */
export interface Entry {
  readonly pool: Pool;
  readonly http: HttpOptions;
}

/** The pools of a context; what a parent has is seen through the prototype, until a child takes the name. */
export type Registry = { [namespace: string]: Entry };

const kRegistry = Symbol('plimsoll.registry');

type WithRegistry = FastifyInstance & { [kRegistry]?: Registry };

/** The registry of this very context, made when there is none yet. */
export function ownRegistry(fastify: FastifyInstance): Registry {
  if (!Object.hasOwn(fastify, kRegistry)) {
    fastify.decorate(kRegistry, Object.create(registryOf(fastify) ?? null) as Registry);
  }
  return registryOf(fastify) as Registry;
}

/** What a context sees: its own registry, or that of its next ancestor which has one. */
export const registryOf = (fastify: FastifyInstance): Registry | undefined =>
  (fastify as WithRegistry)[kRegistry];

/** @throws Error, code PLIMSOLL_FASTIFY_POOL_EXISTS */
export function requireFree(fastify: FastifyInstance, namespace: string): void {
  if (Object.hasOwn(fastify, kRegistry) && Object.hasOwn(registryOf(fastify) as Registry, namespace))
    throw poolExists(namespace);
}

/** Every entry that can be seen, the nearest of each name. */
export function entriesOf(registry: Registry): [namespace: string, entry: Entry][] {
  const entries: [string, Entry][] = [];
  for (const namespace in registry) entries.push([namespace, registry[namespace] as Entry]);
  return entries;
}
