import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ResourceLimits, SHARE_ENV, type Transferable, type Worker } from 'node:worker_threads';
import { badRange, badType, type PoolErrorCode } from '../errors.js';
import type { OpenTelemetryApi } from '../shared/otel-api.js';
import { checkStorages, type Storages } from '../shared/stores.js';
import { uncloneable } from '../shared/uncloneable.js';
import { clone } from '../shared/untrusted.js';
import { usableCores } from './cpu-quota.js';

/** Checks a whole number from `least` to `most`, which may be Infinity. @throws TypeError or RangeError */
export function count(name: string, value: unknown, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw badType(name, value, 'a number');
  if (!(Number.isInteger(value) || value === most) || value < least || value > most) {
    throw badRange(name, value, `a whole number from ${least} to ${most}`);
  }
  return value;
}

/** Checks a number of milliseconds, Infinity included. @throws TypeError or RangeError */
export function duration(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw badType(name, value, 'a number of milliseconds');
  if (!(value >= 0)) throw badRange(name, value, 'zero or more milliseconds');
  return value;
}

const accept =
  <Value>(isRight: (value: unknown) => boolean, right: string): Check<Value | undefined> =>
  (name, value) => {
    if (value !== undefined && !isRight(value)) throw badType(name, value, right);
    return value as Value | undefined;
  };

export const flag = accept<boolean>((value) => typeof value === 'boolean', 'true or false');
export const text = (name: string, value: unknown): string | undefined => string(name, value ?? undefined);
const string = accept<string>((value) => typeof value === 'string', 'a string');

/** Tasks with equal keys run in the same worker. */
export type Key = string | number;

/** Functions on the host that tasks call through `host` of `@plimsoll/pool/worker`. */
export type HostFunctions = Readonly<Record<string, (...items: never[]) => unknown>>;

/** Options of a pool. Options that Piscina also has are named alike. */
export interface PoolOptions {
  /** The worker file: a path, a `file:` URL as text, or a URL. `run()` may name another file. Default: none. */
  filename?: string | URL | null | undefined;
  /** The exported function to call. `run()` may name another function. Default: 'default'. */
  name?: string | undefined;
  /** Workers started in advance and kept even when idle. Default: half of the cores that the process may use, at least 1. */
  minThreads?: number | undefined;
  /** The most workers. Default: the cores that the process may use, at least `minThreads`. */
  maxThreads?: number | undefined;
  /** Milliseconds after which an idle worker beyond `minThreads` is stopped; Infinity: never. Default: 10000. */
  idleTimeout?: number | undefined;
  /** The most tasks that may wait while every worker is busy; 'auto': the square of `maxThreads`. Default: Infinity. */
  maxQueue?: number | 'auto' | undefined;
  /** Tasks that a worker may run at once, if they are asynchronous. All workers together: at most 32768. Default: 1. */
  concurrentTasksPerWorker?: number | undefined;
  /**
   * Memory limits of each worker, as for `new Worker()`. A task that exceeds them is rejected. Default: Node's. With
   * `maxOldGenerationSizeMb` alone, the young generation gets 48 MB: at a higher limit, Node 24 may end the process.
   */
  resourceLimits?: ResourceLimits | undefined;
  /** `process.argv` of the workers after the first two. Default: none. */
  argv?: string[] | undefined;
  /** Node options of the workers. Default: those of the process. */
  execArgv?: string[] | undefined;
  /** `process.env` of the workers. Default: a copy of the host's `process.env`. */
  env?: WorkerOptions['env'] | undefined;
  /** The value of `workerData` in the workers, cloned for each. Default: undefined. */
  workerData?: unknown;
  /** Nice levels by which the priority of worker threads is lowered; only on Linux, without effect elsewhere. Default: 0. */
  niceIncrement?: number | undefined;
  /** Close the file descriptors that a worker leaves open when it ends. Default: true. */
  trackUnmanagedFds?: boolean | undefined;
  /** Milliseconds that the whole `close()` may take, and that `destroy()` waits for threads to end. Default: 30000. */
  closeTimeout?: number | undefined;
  /** Record run and wait times for `histogram` and `utilization`. Default: true. */
  recordTiming?: boolean | undefined;
  /** When to run a task again after its worker died, unless `run()` has its own `retry`. Default: never. */
  retry?: RetryOptions | undefined;
  /** Stops starting workers for a while after several in a row ended before they were ready. Default: after 5, for 1 s. */
  breaker?: BreakerOptions | undefined;
  /**
   * AsyncLocalStorages by name, whose stores travel with each task: the store where `run()` is called, or where the
   * loop over `map()` or `stream()` begins, is copied to the worker. The worker file registers the name with
   * `receiveContext()`. Default: none.
   */
  context?: Storages | undefined;
  /**
   * An OpenTelemetry span for each task, whose context the worker continues: `true` looks for `@opentelemetry/api` from
   * the worker file and the program, and does nothing without it; or that module itself. Default: none.
   */
  openTelemetry?: boolean | OpenTelemetryApi | undefined;
  /** Tasks after which a worker is replaced; its successor starts before it ends. Default: none. */
  maxTasksPerWorker?: number | undefined;
  /** Megabytes of heap, garbage included, above which a worker is replaced in the same way. Default: none. */
  maxHeapMb?: number | undefined;
  /** The most bytes of a task, a result or an item of an iterable, without transferred objects. Default: Infinity. */
  maxValueBytes?: number | undefined;
  /** Functions on this thread for `host` of `@plimsoll/pool/worker` in tasks; `run()` may add more. Default: none. */
  host?: HostFunctions | undefined;
  /** Milliseconds after which an unanswered call of a host function fails; Infinity: never. Default: 30000. */
  hostTimeout?: number | undefined;
  /** Record where the time of every task goes, for `explain()` of `@plimsoll/pool/observe`. Default: false, at no cost. */
  explain?: boolean | undefined;
}

/** An AbortSignal, or an EventEmitter that emits 'abort'. */
export type AbortSignalAny = AbortSignal | AbortEmitter;

/** The part of an EventEmitter that the pool uses. */
export interface AbortEmitter {
  once(event: 'abort', listener: () => void): unknown;
  off(event: 'abort', listener: () => void): unknown;
}

/** Options of one `run()`. */
export interface RunOptions {
  /** Objects to move to the worker instead of copying them; the caller cannot use them any more. */
  readonly transferList?: readonly Transferable[] | undefined;
  /** The worker file, instead of the pool's. */
  readonly filename?: string | URL | null | undefined;
  /** The exported function, instead of the pool's. */
  readonly name?: string | null | undefined;
  /** Aborts the task: it leaves the queue, or its worker is killed and replaced. */
  readonly signal?: AbortSignalAny | null | undefined;
  /**
   * Tasks with equal keys, strings or numbers, run in the same worker, in their order, as long as the worker lives.
   * They wait for it even if other workers are free. Default: the first free worker.
   */
  readonly key?: Key | undefined;
  /** Tasks with higher numbers run first. Any whole number. Default: 0. */
  readonly priority?: number | undefined;
  /** Milliseconds from `run()` after which the task is ended like an aborted task. Default: none. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds that a running task has to end by itself after an abort or timeout, which it sees in `task.signal` and
   * `task.aborted` of `@plimsoll/pool/worker`. Then its worker is stopped. Infinity: never. Default: 0, at once.
   */
  readonly grace?: number | undefined;
  /** Runs the task again after its worker died, instead of the pool's `retry`; `{ max: 0 }`: never. */
  readonly retry?: RetryOptions | undefined;
  /** Functions that the task may call on this thread, before the pool's. They are not copied. Default: none. */
  readonly host?: HostFunctions | undefined;
}

/** How a worker may end while it has a task. */
export type WorkerEnd = 'crash' | 'oom' | 'exit';

/** When a task runs again after its worker died. Not for work that must not be done twice. */
export interface RetryOptions {
  /** 'crash': an uncaught error; 'oom': a limit of `resourceLimits`; 'exit': `process.exit()`. Default: all three. */
  readonly on?: readonly WorkerEnd[] | undefined;
  /** How often the task runs again at most. Default: 2. */
  readonly max?: number | undefined;
  /** Milliseconds before the task runs again, doubled each further time. Default: 0. */
  readonly backoff?: number | undefined;
}

/** When the pool starts no workers for a while. */
export interface BreakerOptions {
  /** Workers in a row that ended before they were ready; Infinity: never. Default: 5. */
  readonly failures?: number | undefined;
  /** Milliseconds during which no worker is started. Default: 1000. */
  readonly pause?: number | undefined;
}

type WorkerOptions = NonNullable<ConstructorParameters<typeof Worker>[1]>;

const MOST = Number.MAX_SAFE_INTEGER;
const ENDLESS = Number.POSITIVE_INFINITY;
const MOST_THREADS = 1024;

/** Checks an option, and returns the value that the pool uses. @throws TypeError or RangeError */
type Check<Value> = (name: string, value: unknown) => Value;
type Checks = Record<string, Check<unknown>>;
type Filled<Of extends Checks> = { [Name in keyof Of]: ReturnType<Of[Name]> };

const within =
  (least: number, most: number): Check<number | undefined> =>
  (name, value) =>
    count(name, value, least, most);

const or =
  <Value>(check: Check<Value | undefined>, otherwise: Value): Check<Value> =>
  (name, value) =>
    check(name, value) ?? otherwise;

/** Checks a copy without a prototype, so that a polluted Object.prototype adds no option. */
function fill<Of extends Checks>(name: string, values: unknown, checks: Of): Filled<Of> {
  if (!isObject(values)) throw badType(name, values, 'an object');
  const options = Object.assign(Object.create(null), values) as Record<string, unknown>;
  for (const [key, check] of Object.entries(checks)) {
    const value = check(`${name}.${key}`, options[key]);
    if (value !== undefined) options[key] = value;
  }
  return options as Filled<Of>;
}

const group =
  <Of extends Checks>(checks: Of): Check<Filled<Of> | undefined> =>
  (name, value) =>
    value === undefined ? undefined : fill(name, value, checks);

const asGiven =
  <Value>(check: Check<unknown>): Check<Value> =>
  (name, value) => {
    check(name, value);
    return value as Value;
  };

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const CODES: Readonly<Record<WorkerEnd, PoolErrorCode>> = {
  crash: 'PLIMSOLL_POOL_WORKER_CRASHED',
  oom: 'PLIMSOLL_POOL_OUT_OF_MEMORY',
  exit: 'PLIMSOLL_POOL_WORKER_EXITED',
};

/** `RetryOptions` as the pool uses them, with the codes of the errors after which a task runs again. */
const RETRY = {
  on(name: string, value: unknown = Object.keys(CODES)): readonly PoolErrorCode[] {
    if (!Array.isArray(value) || !value.every((end) => Object.hasOwn(CODES, end)))
      throw badType(name, value, "an array of 'crash', 'oom' and 'exit'");
    return value.map((end: WorkerEnd) => CODES[end]);
  },
  max: or(within(0, MOST), 2),
  backoff: or(duration, 0),
};
export type RetryPolicy = Filled<typeof RETRY>;
export const retryOf = group(RETRY);

const BREAKER = { failures: or(within(1, ENDLESS), 5), pause: or(duration, 1000) };
export type Breaking = Filled<typeof BREAKER>;

/** Every option of a pool, with its check and its default. */
const OPTIONS = {
  filename: pathOf,
  name: or(text, 'default'),
  minThreads: within(0, MOST_THREADS),
  maxThreads: within(1, MOST_THREADS),
  idleTimeout: or(duration, 10_000),
  maxQueue(name: string, value: unknown): number | 'auto' {
    if (value === 'auto') return value;
    if (value !== undefined && typeof value !== 'number') throw badType(name, value, "a number or 'auto'");
    return count(name, value, 0, ENDLESS) ?? ENDLESS;
  },
  concurrentTasksPerWorker: or(within(1, 2 ** 15), 1),
  resourceLimits: accept<ResourceLimits>(isObject, 'an object'),
  argv: accept<string[]>(isTexts, 'an array of strings'),
  execArgv: accept<string[]>(isTexts, 'an array of strings'),
  env: accept<PoolOptions['env']>(
    (value) => value === SHARE_ENV || isObject(value),
    'an object or SHARE_ENV',
  ),
  /** Cloned here, because an uncloneable value should fail before any worker starts. */
  workerData: asGiven<unknown>((name, value) => {
    try {
      clone(value);
    } catch (error) {
      throw uncloneable(name, value, error);
    }
  }),
  niceIncrement: or(within(process.platform === 'win32' ? -20 : 0, 39), 0),
  trackUnmanagedFds: or(flag, true),
  closeTimeout: or(duration, 30_000),
  recordTiming: or(flag, true),
  retry: asGiven<RetryOptions | undefined>(retryOf),
  breaker: (name: string, value: unknown = {}): Breaking => fill(name, value, BREAKER),
  context: asGiven<Storages | undefined>((name, value) => {
    if (value !== undefined) checkStorages(name, value);
  }),
  openTelemetry: accept<boolean | OpenTelemetryApi>(
    (value) => typeof value === 'boolean' || isOpenTelemetry(value),
    'true, false or the module @opentelemetry/api',
  ),
  maxTasksPerWorker: within(1, MOST),
  maxHeapMb: within(1, MOST),
  maxValueBytes: or(within(1, ENDLESS), ENDLESS),
  host: hostOf,
  hostTimeout: or(duration, 30_000),
  explain: or(flag, false),
} satisfies Record<keyof PoolOptions, Check<unknown>>;

/** Options with every default filled in. */
export interface FilledOptions
  extends Omit<Filled<typeof OPTIONS>, 'minThreads' | 'maxThreads' | 'maxQueue'> {
  minThreads: number;
  maxThreads: number;
  maxQueue: number;
}

/** Checks options and fills in defaults. @throws TypeError or RangeError; UncloneableError for `workerData` */
export function fillOptions(settings: PoolOptions): FilledOptions {
  const options = fill('options', settings, OPTIONS);
  const { minThreads: min, maxThreads: max, maxQueue } = options;
  if (min !== undefined && max !== undefined && min > max)
    throw badRange('options.minThreads', min, `no more than options.maxThreads (${max})`);
  const cores = usableCores();
  const minThreads = min ?? Math.min(Math.max(Math.floor(cores / 2), 1), max ?? MOST_THREADS);
  const maxThreads = max ?? Math.max(cores, minThreads);
  return Object.assign(options, {
    minThreads,
    maxThreads,
    maxQueue: maxQueue === 'auto' ? maxThreads ** 2 : maxQueue,
  });
}

function isOpenTelemetry(value: unknown): value is OpenTelemetryApi {
  const { trace, context, propagation, metrics } = Object(value) as Partial<OpenTelemetryApi>;
  return [trace, context, propagation, metrics].every((part) => typeof part === 'object' && part !== null);
}

export function hostOf(name: string, value: unknown): HostFunctions | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value) || Array.isArray(value)) throw badType(name, value, 'an object of functions');
  const functions = Object.assign(Object.create(null), value) as Record<string, unknown>;
  for (const [key, found] of Object.entries(functions)) {
    if (typeof found !== 'function') throw badType(`${name}.${key}`, found, 'a function');
    if (key === 'sync') throw badRange(`${name}.${key}`, found, 'named otherwise: host.sync has them all');
  }
  return functions as HostFunctions;
}

/** An absolute path. A `file:` URL with a query or hash stays a URL: it is a module of its own for `import()`. */
export function pathOf(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const location = hrefOf(value) ?? value;
  if (typeof location !== 'string') throw badType(name, value, 'a path, a file: URL or null');
  if (location.startsWith('file:')) return fileOf(name, location);
  if (typeof value !== 'string') throw badRange(name, location, 'a file: URL');
  if (location === '') throw badRange(name, location, 'a path or a file: URL');
  return isAbsolute(location) ? location : resolve(location);
}

/** The text of a URL object, also from another realm or library. */
const hrefOf = (value: unknown): unknown => (typeof value === 'object' ? (value as URL).href : undefined);

function fileOf(name: string, location: string): string {
  try {
    const url = new URL(location);
    const path = fileURLToPath(url);
    return url.search === '' && url.hash === '' ? path : url.href;
  } catch (cause) {
    throw Object.assign(badRange(name, location, 'a file: URL that names a file of this machine'), { cause });
  }
}
