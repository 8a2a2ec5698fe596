import { PoolError, type RunOptions } from '@plimsoll/pool';
import type { FastifyInstance } from 'fastify';
import { noPool } from './errors.js';
import type { HttpOptions } from './options.js';
import { type Entry, entriesOf, registryOf } from './registry.js';

/** Options as they arrive from JavaScript. */
export type GivenOptions = (RunOptions & { readonly pool?: unknown }) | undefined;

/** nginx's status for a request whose client has gone; nobody receives it, but the log shows it. */
const CLIENT_GONE = 499;
const UNAVAILABLE = 503;

/** @throws Error, code PLIMSOLL_FASTIFY_NO_POOL */
export function entryFor(fastify: FastifyInstance, namespace: unknown = 'default'): Entry {
  const registry = registryOf(fastify) ?? {};
  const found = typeof namespace === 'string' ? registry[namespace] : undefined;
  if (found !== undefined) return found;
  throw noPool(
    namespace,
    entriesOf(registry).map(([name]) => name),
  );
}

/** Runs a task; what the pool itself refuses or ends gets the status and headers that Fastify answers with. */
export async function run({ pool, http }: Entry, task: unknown, options: GivenOptions): Promise<unknown> {
  try {
    return await pool.run(task, withoutPool(options) as never);
  } catch (error) {
    throw error instanceof PoolError ? answerable(error, http) : error;
  }
}

/** Without options a task is cheaper, so none are made up. */
function withoutPool(options: GivenOptions): RunOptions | undefined {
  if (typeof options !== 'object' || options === null || !('pool' in options)) return options;
  const { pool: _, ...others } = options;
  return others;
}

function answerable(error: PoolError, { queueFullStatus, retryAfter }: HttpOptions): PoolError {
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } };
  switch (error.code) {
    case 'PLIMSOLL_POOL_QUEUE_FULL':
      return Object.assign(error, { statusCode: queueFullStatus, ...headers });
    case 'PLIMSOLL_POOL_CLOSED':
      return Object.assign(error, { statusCode: UNAVAILABLE, ...headers });
    case 'PLIMSOLL_POOL_TIMEOUT':
      // As Fastify answers when its own handlerTimeout is over.
      return Object.assign(error, { statusCode: UNAVAILABLE });
    case 'PLIMSOLL_POOL_ABORTED':
      return error.cause instanceof ClientGone ? Object.assign(error, { statusCode: CLIENT_GONE }) : error;
    default:
      return error;
  }
}

/** The reason with which the task of a request is aborted whose client does not wait any more. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('The request is over: its client has disconnected, or it was answered');
  }
}
