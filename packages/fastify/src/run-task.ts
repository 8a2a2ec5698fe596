import { type Pool, PoolError, type RunOptions } from '@plimsoll/pool';
import type { HttpOptions } from './options.js';
import { httpOf } from './registry.js';

/** Options as they arrive from JavaScript. */
export type GivenOptions = (RunOptions & { readonly pool?: unknown }) | undefined;

/** nginx's status for a request whose client has gone; no client receives it, but the log shows it. */
const CLIENT_GONE = 499;
const UNAVAILABLE = 503;

/** Runs a task; what the pool itself refuses or ends gets the status and headers that Fastify answers with. */
export async function run(pool: Pool, task: unknown, options: GivenOptions): Promise<unknown> {
  try {
    return await pool.run(task, withoutPool(options) as never);
  } catch (error) {
    throw error instanceof PoolError ? answerable(error, httpOf.get(pool) as HttpOptions) : error;
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
