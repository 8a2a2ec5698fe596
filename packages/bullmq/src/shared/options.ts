import type { PoolOptions, RunOptions } from '@plimsoll/pool';
import {
  badRange,
  badType,
  count,
  duration,
  pathOf,
  plainCopy,
  signalOf,
  text,
} from '@plimsoll/pool/internal';
import type { Connection } from './connection.js';

/** What both sides of a queue are told. */
export interface QueueOptions {
  /** The name of the queue in Redis, the same for the fleet and its workers. */
  readonly queue: string;
  /** Redis or Valkey. Default: redis://127.0.0.1:6379. */
  readonly connection?: Connection | undefined;
  /** Of all keys in Redis, as BullMQ's. Default: 'bull'. */
  readonly prefix?: string | undefined;
  /** Bytes that a task, or a result, may have. Default: 1 MiB. */
  readonly maxPayload?: number | undefined;
  /** Milliseconds without Redis after which tasks are rejected, and a worker does not start. Default: 10000. */
  readonly offlineTimeout?: number | undefined;
  /** Milliseconds that `close()` waits for tasks under way. Default: 30000. */
  readonly closeTimeout?: number | undefined;
}

/** How long what has ended stays in Redis. */
export interface KeepOptions {
  /** Seconds. Default: 3600. */
  readonly age?: number | undefined;
  /** Jobs of the queue. Default: 10000. */
  readonly count?: number | undefined;
}

/** Options of a fleet. */
export interface FleetOptions extends QueueOptions {
  /** The exported function to call. `run()` may name another one. Default: 'default'. */
  readonly name?: string | undefined;
  /** How long ended jobs stay in Redis, for a host that has lost its connection, and for `jobId`. */
  readonly keep?: KeepOptions | undefined;
}

/** Options of one `run()`. Those of a pool mean the same: `signal` takes a task out of the queue, or has its worker end it. */
export interface FleetRunOptions extends Pick<RunOptions, 'name' | 'signal' | 'timeout' | 'grace'> {
  /** Tasks with higher numbers run first: whole numbers from -1000000 to 1000000. Default: 0. */
  readonly priority?: number | undefined;
  /** How often the task is run at most, when it throws. Default: 1. */
  readonly attempts?: number | undefined;
  /**
   * Names the task: as long as a task of that id waits, runs or has succeeded and is kept, `run()` submits no other one, but gives
   * its result. A text without ':'; the id of its job is `task-` and that.
   */
  readonly jobId?: string | undefined;
}

/** Options of `map()`: those of `run()` for each item, and these. */
export interface FleetMapOptions extends Omit<FleetRunOptions, 'jobId'> {
  /** Items in memory at most: taken from the source, and whose result the loop has not got. Default: 64. */
  readonly concurrency?: number | undefined;
  /** Results in the order of the items; else each as soon as it is there. Default: true. */
  readonly ordered?: boolean | undefined;
}

export type FleetProxyOptions = Omit<FleetRunOptions, 'name' | 'jobId'>;

/** Options of a worker process. */
export interface FleetWorkerOptions extends QueueOptions {
  /** The task module: a path, a `file:` URL as text, or a URL. */
  readonly filename: string | URL;
  /** Worker threads, and so tasks at a time. Default: the CPUs, or the quota of a container. */
  readonly threads?: number | undefined;
  /** A version of the task module, for people: errors and `fleet.stats()` show it. */
  readonly version?: string | undefined;
  /** Milliseconds after which a job whose process is gone may run elsewhere. Renewed at half of it. Default: 30000. */
  readonly lockDuration?: number | undefined;
  /** Milliseconds between two looks for such jobs. Default: 30000. */
  readonly stalledInterval?: number | undefined;
  /** How often a job may lose its process and run again. Default: 1. */
  readonly maxStalledCount?: number | undefined;
  /** The port of the health endpoint; 0: a free one. Default: none. */
  readonly health?: number | undefined;
  /** The address of the health endpoint. Default: 127.0.0.1. */
  readonly healthHost?: string | undefined;
  /** Options of the pool of this process, without `filename`, `name` and numbers of threads. */
  readonly pool?: Omit<PoolOptions, 'filename' | 'name' | 'minThreads' | 'maxThreads'> | undefined;
}

/** The same, checked. */
export type CheckedQueue = ReturnType<typeof checkQueue>;
export type CheckedFleet = ReturnType<typeof checkFleet>;
export type CheckedWorker = ReturnType<typeof checkWorker>;
export type CheckedRun = ReturnType<typeof checkRun>;

const MEBIBYTE = 2 ** 20;
/** Above it base64 comes near the longest text of V8, and Redis near half a minute. */
const MOST_BYTES = 64 * MEBIBYTE;
const MOST = Number.MAX_SAFE_INTEGER;
export const MOST_PRIORITY = 1_000_000;
const HALF_MINUTE = 30_000;

function checkQueue(options: QueueOptions) {
  return {
    queue: keyPart('options.queue', options.queue),
    prefix: keyPart('options.prefix', options.prefix ?? 'bull'),
    connection: options.connection,
    maxPayload: count('options.maxPayload', options.maxPayload, 1, MOST_BYTES) ?? MEBIBYTE,
    offlineTimeout: duration('options.offlineTimeout', options.offlineTimeout) ?? 10_000,
    closeTimeout: duration('options.closeTimeout', options.closeTimeout) ?? HALF_MINUTE,
  };
}

function keyPart(name: string, value: unknown): string {
  const given = text(name, value);
  if (given === undefined) throw badType(name, value, 'a string');
  if (given === '' || given.includes(':')) throw badRange(name, given, "a text without ':'");
  return given;
}

/** @throws TypeError or RangeError PLIMSOLL_POOL_BAD_OPTION */
export function checkFleet(options: FleetOptions) {
  const copy = plainCopy(options);
  const keep: KeepOptions = plainCopy(copy.keep ?? {}, 'options.keep');
  return {
    ...checkQueue(copy),
    name: text('options.name', copy.name) ?? 'default',
    keep: {
      age: count('options.keep.age', keep.age, 1, MOST) ?? 3600,
      count: count('options.keep.count', keep.count, 1, MOST) ?? 10_000,
    },
  };
}

/** @throws TypeError or RangeError PLIMSOLL_POOL_BAD_OPTION */
export function checkWorker(options: FleetWorkerOptions, cpus: number) {
  const copy = plainCopy(options);
  const filename = pathOf('options.filename', copy.filename);
  if (filename === null) throw badType('options.filename', copy.filename, 'a path or a file: URL');
  return {
    ...checkQueue(copy),
    filename,
    threads: count('options.threads', copy.threads, 1, 1024) ?? cpus,
    version: text('options.version', copy.version),
    lockDuration: count('options.lockDuration', copy.lockDuration, 100, MOST) ?? HALF_MINUTE,
    stalledInterval: count('options.stalledInterval', copy.stalledInterval, 100, MOST) ?? HALF_MINUTE,
    maxStalledCount: count('options.maxStalledCount', copy.maxStalledCount, 0, MOST) ?? 1,
    health: count('options.health', copy.health, 0, 65_535),
    healthHost: text('options.healthHost', copy.healthHost) ?? '127.0.0.1',
    pool: plainCopy(copy.pool ?? {}, 'options.pool'),
  };
}

/** @throws TypeError or RangeError PLIMSOLL_POOL_BAD_OPTION */
export function checkRun(fallback: string, options: FleetRunOptions) {
  const copy = plainCopy(options);
  return {
    name: text('options.name', copy.name) ?? fallback,
    signal: signalOf(copy.signal),
    timeout: duration('options.timeout', copy.timeout),
    grace: duration('options.grace', copy.grace) ?? 0,
    priority: count('options.priority', copy.priority, -MOST_PRIORITY, MOST_PRIORITY) ?? 0,
    attempts: count('options.attempts', copy.attempts, 1, MOST) ?? 1,
    jobId: jobIdOf(copy.jobId),
  };
}

/** The id of the job. With it as it is, `failed` would be one of BullMQ's own keys, and `17` an id that it may give away. */
function jobIdOf(value: unknown): string | undefined {
  const id = text('options.jobId', value);
  if (id === undefined) return undefined;
  // Half a character is written as another one, and the job would not be found.
  if (id === '' || id.includes(':') || /\p{Surrogate}/u.test(id))
    throw badRange('options.jobId', id, "a well-formed text without ':'");
  return `task-${id}`;
}
