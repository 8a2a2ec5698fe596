import type { PoolOptions } from '@plimsoll/pool';
import { badOption } from './errors.js';

/** Options of the plugin: those of the pool, and what HTTP adds to them. */
export interface PlimsollPoolOptions extends PoolOptions {
  /** What the pool is called in `fastify.pools` and in `runTask(task, { pool })`. Default: 'default'. */
  readonly namespace?: string | undefined;
  /** Status of the answer to a request whose task the full queue refused, 400 to 599. Default: 503. */
  readonly queueFullStatus?: number | undefined;
  /** Seconds of the header Retry-After when the queue is full or the pool closes; false: no header. Default: 1. */
  readonly retryAfter?: number | false | undefined;
  /** Path of a route that answers with the statistics of the context's pools for Prometheus. Default: none. */
  readonly metrics?: string | undefined;
}

/** The plugin's own options with every default filled in. */
export interface HttpOptions {
  readonly namespace: string;
  readonly queueFullStatus: number;
  readonly retryAfter: number | undefined;
  readonly metrics: string | undefined;
}

/**
 * Takes the plugin's own options apart from the pool's, which the pool checks itself.
 * @throws TypeError, code PLIMSOLL_FASTIFY_BAD_OPTION
 */
export function separate(given: PlimsollPoolOptions): { http: HttpOptions; pool: PoolOptions } {
  const { namespace, queueFullStatus, retryAfter, metrics, ...pool } = given;
  const wholeFrom = (value: unknown, least: number, most: number): boolean =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  if (namespace !== undefined && (typeof namespace !== 'string' || namespace === ''))
    throw badOption('namespace', namespace, 'a name');
  if (queueFullStatus !== undefined && !wholeFrom(queueFullStatus, 400, 599))
    throw badOption('queueFullStatus', queueFullStatus, 'a whole number from 400 to 599');
  if (retryAfter !== undefined && retryAfter !== false && !wholeFrom(retryAfter, 0, Number.MAX_SAFE_INTEGER))
    throw badOption('retryAfter', retryAfter, 'a whole number of seconds, or false');
  if (metrics !== undefined && !(typeof metrics === 'string' && metrics.startsWith('/')))
    throw badOption('metrics', metrics, "a path that begins with '/'");
  return {
    http: {
      namespace: namespace ?? 'default',
      queueFullStatus: queueFullStatus ?? 503,
      retryAfter: retryAfter === false ? undefined : (retryAfter ?? 1),
      metrics,
    },
    pool,
  };
}
