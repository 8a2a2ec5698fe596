import { AsyncResource } from 'node:async_hooks';
import { EventEmitterAsyncResource } from 'node:events';
import type { Transferable, Worker } from 'node:worker_threads';
import { PoolError } from './errors.js';
import type { FilledOptions, PoolOptions } from './host/options.js';
import type { AbortSignalAny } from './host/run-options.js';
import { ArrayTaskQueue, FixedQueue, queueOptionsSymbol } from './host/task-queue.js';
import { Pool, type PoolHistogram } from './pool.js';
import { move, transferableSymbol, valueSymbol } from './shared/move.js';
import { VERSION } from './version.js';
import { context } from './worker/context.js';

/**
 * Piscina's interface over a plimsoll pool: the same class, options, statics and error texts. What differs, and
 * why, is in docs/migrating-from-piscina.md.
 */
export type PiscinaOptions = Omit<PoolOptions, 'filename'> & { filename?: string | null | undefined };

/** Options of `run`. */
export interface PiscinaRunOptions {
  transferList?: Transferable[] | undefined;
  filename?: string | null | undefined;
  signal?: AbortSignalAny | null | undefined;
  name?: string | null | undefined;
}

type Checks<Options> = readonly (readonly [keyof Options, (value: never) => boolean, string])[];

const isNumber = (least: number) => (value: unknown) => typeof value === 'number' && value >= least;
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isText = (value: unknown): boolean => value === null || typeof value === 'string';

const OPTIONS: Checks<PiscinaOptions> = [
  ['filename', isText, 'options.filename must be a string or null'],
  ['name', isText, 'options.name must be a string or null'],
  ['minThreads', isNumber(0), 'options.minThreads must be a non-negative integer'],
  ['maxThreads', isNumber(1), 'options.maxThreads must be a positive integer'],
  ['idleTimeout', isNumber(0), 'options.idleTimeout must be a non-negative integer'],
  [
    'maxQueue',
    (value: unknown) => value === 'auto' || isNumber(0)(value),
    'options.maxQueue must be a non-negative integer',
  ],
  ['concurrentTasksPerWorker', isNumber(1), 'options.concurrentTasksPerWorker must be a positive integer'],
  [
    'atomics',
    (value: unknown) => ['sync', 'async', 'disabled'].includes(value as string),
    'options.atomics should be a value of sync, sync or disabled.',
  ],
  ['resourceLimits', isObject, 'options.resourceLimits must be an object'],
  ['taskQueue', isTaskQueue, 'options.taskQueue must be a TaskQueue object'],
  [
    'niceIncrement',
    (value: unknown) => isNumber(process.platform === 'win32' ? Number.NEGATIVE_INFINITY : 0)(value),
    'options.niceIncrement must be a non-negative integer on Unix systems',
  ],
  ['trackUnmanagedFds', isBoolean, 'options.trackUnmanagedFds must be a boolean value'],
  ['closeTimeout', isNumber(0), 'options.closeTimeout must be a non-negative integer'],
  [
    'loadBalancer',
    (value: unknown) => typeof value === 'function' && value.length > 0,
    'options.loadBalancer must be a function with at least two args',
  ],
  ['workerHistogram', isBoolean, 'options.workerHistogram must be a boolean'],
  ['stricterFIFO', isBoolean, 'options.stricterFIFO must be a boolean'],
];

const RUN_OPTIONS: Checks<PiscinaRunOptions> = [
  ['transferList', Array.isArray, 'transferList argument must be an Array'],
  ['filename', isText, 'filename argument must be a string'],
  ['name', isText, 'name argument must be a string'],
  ['signal', (value: unknown) => typeof value === 'object', 'signal argument must be an object'],
];

function isTaskQueue(value: unknown): boolean {
  if (!isObject(value) || !('size' in (value as object))) return false;
  const queue = value as Record<string, unknown>;
  return ['push', 'shift', 'remove'].every((method) => typeof queue[method] === 'function');
}

function check<Options extends object>(options: Options, checks: Checks<Options>): void {
  for (const [name, isRight, message] of checks) {
    const value = options[name];
    if (value !== undefined && !isRight(value as never)) throw new TypeError(message);
  }
}

const whole = (value: number | undefined): number | undefined =>
  value === undefined || !Number.isFinite(value) ? value : Math.max(Math.floor(value), 0);

function translate(given: PiscinaOptions): PoolOptions {
  const options: PiscinaOptions = Object.assign(Object.create(null), given);
  check(options, OPTIONS);
  const { minThreads, maxThreads, maxQueue } = options;
  if (minThreads !== undefined && maxThreads !== undefined && minThreads > maxThreads) {
    throw new RangeError('options.minThreads and options.maxThreads must not conflict');
  }
  return Object.assign(options, {
    minThreads: whole(minThreads),
    maxThreads: whole(maxThreads),
    maxQueue: maxQueue === 'auto' ? maxQueue : whole(maxQueue),
    concurrentTasksPerWorker: whole(options.concurrentTasksPerWorker),
    niceIncrement: whole(options.niceIncrement),
    filename: options.filename ?? undefined,
    name: options.name ?? undefined,
  }) as PoolOptions;
}

/**
 * A drop-in replacement for Piscina.
 *
 * @example
 * import Piscina from '@plimsoll/pool/piscina';
 *
 * const piscina = new Piscina({ filename: new URL('./worker.mjs', import.meta.url).href });
 * const result = await piscina.run({ a: 4, b: 6 });
 */
export class Piscina<T = unknown, R = unknown> extends EventEmitterAsyncResource {
  readonly #options: PoolOptions;
  #pool: Pool;
  #closed = false;

  constructor(options: PiscinaOptions = {}) {
    super({ name: 'Piscina' });
    this.#options = translate(options);
    this.#pool = this.#open();
  }

  #open(): Pool {
    const pool = new Pool(this.#options);
    for (const event of ['drain', 'needsDrain', 'message', 'workerCreate', 'workerDestroy', 'close']) {
      pool.on(event, (...values: unknown[]) => this.emit(event, ...values));
    }
    pool.on('error', (error) => this.emit('error', error));
    return pool;
  }

  /** Piscina takes tasks again after it was destroyed or closed, with new workers. */
  #current(): Pool {
    if (this.#closed) {
      this.#closed = false;
      this.#pool = this.#open();
    }
    return this.#pool;
  }

  run(task: T, options: PiscinaRunOptions = {}): Promise<R> {
    if (!isObject(options)) return Promise.reject(new TypeError('options must be an object'));
    const own: PiscinaRunOptions = Object.assign(Object.create(null), options);
    try {
      check(own, RUN_OPTIONS);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#observed(this.#current().run(task, own as never) as Promise<R>);
  }

  /** Settles inside an async resource of its own, so that diagnostic tools see one 'Piscina.Task' per task. */
  #observed(result: Promise<R>): Promise<R> {
    const resource = new AsyncResource('Piscina.Task', { triggerAsyncId: this.asyncResource.asyncId() });
    return new Promise((resolve, reject) => {
      result.then(
        (value) => resource.runInAsyncScope(resolve, undefined, value),
        (error: unknown) => resource.runInAsyncScope(reject, undefined, unwrapped(error)),
      );
    });
  }

  /** The older form of `run`, from Piscina 1 to 3. */
  runTask(
    task: T,
    transferList?: Transferable[] | string | AbortSignalAny,
    filename?: string | AbortSignalAny,
    signal?: AbortSignalAny,
  ): Promise<R> {
    const given = [transferList, filename, signal];
    const options: PiscinaRunOptions = {
      transferList: given.find(Array.isArray) as Transferable[] | undefined,
      filename: given.find((value) => typeof value === 'string') as string | undefined,
      signal: given.find((value) => isObject(value) && !Array.isArray(value)) as AbortSignalAny | undefined,
    };
    return this.run(task, options);
  }

  async close(options: { force?: boolean } = {}): Promise<void> {
    if (!isObject(options)) throw new TypeError('options must be an object');
    const { force } = options;
    if (force !== undefined && typeof force !== 'boolean') {
      throw new TypeError('force argument must be a boolean');
    }
    await this.#pool.close({ force });
    this.#closed = true;
  }

  async destroy(): Promise<void> {
    await this.#pool.destroy();
    this.#closed = true;
  }

  [Symbol.dispose](): void {
    this.close().catch((error: unknown) => this.emit('error', error));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get minThreads(): number {
    return this.#pool.minThreads;
  }

  get maxThreads(): number {
    return this.#pool.maxThreads;
  }

  get options(): FilledOptions {
    return this.#pool.options;
  }

  get threads(): Worker[] {
    return this.#pool.threads;
  }

  get idleThreads(): number {
    return this.#pool.idleThreads;
  }

  get queueSize(): number {
    return this.#pool.queueSize;
  }

  get completed(): number {
    return this.#pool.completed;
  }

  /** Without `recordTiming`, its `runTime` and `waitTime` are undefined. */
  get histogram(): Partial<PoolHistogram> {
    return this.#pool.options.recordTiming ? this.#pool.histogram : {};
  }

  get utilization(): number {
    return this.#pool.utilization;
  }

  get duration(): number {
    return this.#pool.duration;
  }

  get needsDrain(): boolean {
    return this.#pool.needsDrain;
  }

  static get isWorkerThread(): boolean {
    return context.isWorkerThread;
  }

  static get workerData(): unknown {
    return context.workerData;
  }

  static get version(): string {
    return VERSION;
  }

  static get Piscina(): typeof Piscina {
    return Piscina;
  }

  static get default(): typeof Piscina {
    return Piscina;
  }

  static get FixedQueue(): typeof FixedQueue {
    return FixedQueue;
  }

  static get ArrayTaskQueue(): typeof ArrayTaskQueue {
    return ArrayTaskQueue;
  }

  static get move(): typeof move {
    return move;
  }

  static get transferableSymbol(): symbol {
    return transferableSymbol;
  }

  static get valueSymbol(): symbol {
    return valueSymbol;
  }

  static get queueOptionsSymbol(): symbol {
    return queueOptionsSymbol;
  }
}

/** Piscina rejects with the worker's own error, where the pool has it as the cause. */
function unwrapped(error: unknown): unknown {
  if (!(error instanceof PoolError)) return error;
  const bare = ['PLIMSOLL_POOL_WORKER_CRASHED', 'PLIMSOLL_POOL_OUT_OF_MEMORY', 'PLIMSOLL_POOL_LOAD_FAILED'];
  return bare.includes(error.code) && error.cause !== undefined ? error.cause : error;
}

export default Piscina;
export { VERSION as version } from './version.js';
export { ArrayTaskQueue, FixedQueue, move, queueOptionsSymbol, transferableSymbol, valueSymbol };
export const isWorkerThread: boolean = context.isWorkerThread;
export const workerData: unknown = context.workerData;
export type { LoadBalancer as PiscinaLoadBalancer } from './host/load-balancer.js';
export type { PoolTask as PiscinaTask, TaskQueue } from './host/task-queue.js';
