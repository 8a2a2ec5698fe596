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
  /**
   * Answers with 503 and Retry-After while jobs wait too long for libuv's thread pool (fs, crypto, zlib, `dns.lookup`), but for
   * routes with `config: { shed: false }`. Set it once for a context. Default: never.
   */
  readonly shed?: ShedOptions | undefined;
}

/** When requests are refused because libuv's own pool is saturated. */
export interface ShedOptions {
  /** The wait of a job for a thread of libuv's pool that is too long, in milliseconds, more than 0. */
  readonly poolWaitMs: number;
  /** For how many milliseconds no job got one sooner. Default: 100. */
  readonly forMs?: number | undefined;
}

/** The plugin's own options with every default filled in. */
export interface HttpOptions {
  readonly namespace: string;
  readonly queueFullStatus: number;
  readonly retryAfter: number | undefined;
  readonly metrics: string | undefined;
  readonly shed: ShedOptions | undefined;
}

/**
 * Takes the plugin's own options apart from the pool's, which the pool checks itself.
 * @throws TypeError, code PLIMSOLL_FASTIFY_BAD_OPTION
 */
export function separate(given: PlimsollPoolOptions): { http: HttpOptions; pool: PoolOptions } {
  const { namespace, queueFullStatus, retryAfter, metrics, shed, ...pool } = given;
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
  if (shed !== undefined) checkShed(shed);
  return {
    http: {
      namespace: namespace ?? 'default',
      queueFullStatus: queueFullStatus ?? 503,
      retryAfter: retryAfter === false ? undefined : (retryAfter ?? 1),
      metrics,
      shed,
    },
    pool,
  };
}

function checkShed(shed: unknown): void {
  if (typeof shed !== 'object' || shed === null) throw badOption('shed', shed, 'an object');
  const { poolWaitMs, forMs = 0 } = shed as ShedOptions;
  const isTime = (value: unknown, least: (time: number) => boolean): boolean =>
    typeof value === 'number' && Number.isFinite(value) && least(value);
  if (!isTime(poolWaitMs, (time) => time > 0))
    throw badOption('shed.poolWaitMs', poolWaitMs, 'a number of milliseconds above 0');
  if (!isTime(forMs, (time) => time >= 0))
    throw badOption('shed.forMs', forMs, 'a number of milliseconds from 0 on');
}
