import { AsyncResource } from 'node:async_hooks';
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { AbortError, PoolError, UncloneableError } from './errors.js';
import { type FilledOptions, fillOptions, type PoolOptions } from './host/options.js';
import type { Policy } from './host/state.js';
import { queueOptionsSymbol } from './piscina/task-queue.js';
import { PoolBase, type PoolEvents } from './pool-base.js';
import { workerContext } from './shared/context.js';
import { move, transferableSymbol, valueSymbol } from './shared/move.js';
import { VERSION } from './version.js';

/** Each option's name, its check, and the end of its error text. */
export type Checks<Options> = readonly (readonly [
  keyof Options & string,
  (value: never) => boolean,
  string,
])[];

export const isNumber = (least: number) => (value: unknown) => typeof value === 'number' && value >= least;
export const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
export const isText = (value: unknown): boolean => value === null || typeof value === 'string';

/** @param called the option's name in error texts @throws TypeError */
export function check<Options extends object>(
  options: Options,
  checks: Checks<Options>,
  called: (name: string) => string,
): void {
  for (const [name, isRight, right] of checks) {
    const value = options[name];
    if (value !== undefined && !isRight(value as never)) throw new TypeError(`${called(name)} ${right}`);
  }
}

export const integerOf = (value: number | undefined): number | undefined =>
  value === undefined || !Number.isFinite(value) ? value : Math.max(Math.floor(value), 0);

/** The originals pass `argv` to Node, which makes strings of its items. */
export const argvOf = (argv: unknown): string[] | undefined =>
  Array.isArray(argv) ? argv.map(String) : (argv as undefined);

/** @param usual the default of `maxThreads` @throws RangeError */
export function threadsOf(
  minThreads: number | undefined,
  maxThreads: number | undefined,
  usual: number,
): Required<Pick<PoolOptions, 'minThreads' | 'maxThreads'>> {
  if (minThreads !== undefined && maxThreads !== undefined && minThreads > maxThreads)
    throw new RangeError('options.minThreads and options.maxThreads must not conflict');
  const most = integerOf(maxThreads) ?? Math.max(usual, integerOf(minThreads) ?? 1);
  const half = Math.max(Math.floor(availableParallelism() / 2), 1);
  return { minThreads: integerOf(minThreads) ?? Math.min(half, most), maxThreads: most };
}

/** As `fillOptions`, but uncloneable `workerData` raises Node's own error, as in both originals. */
export function fill(options: PoolOptions): FilledOptions {
  try {
    return fillOptions(options);
  } catch (error) {
    throw error instanceof UncloneableError ? error.cause : error;
  }
}

/** The originals reject with the worker's error, which is the pool's `cause`, and with another error after `close()`. */
function unwrapped(error: unknown): unknown {
  if (!(error instanceof PoolError)) return error;
  if (error.code === 'PLIMSOLL_POOL_CLOSED' && error.message !== 'Terminating worker thread') {
    return new AbortError('queue is being terminated');
  }
  const bare = ['PLIMSOLL_POOL_WORKER_CRASHED', 'PLIMSOLL_POOL_OUT_OF_MEMORY', 'PLIMSOLL_POOL_LOAD_FAILED'];
  return bare.includes(error.code) && error.cause !== undefined ? error.cause : error;
}

/** As in the originals' types, so that code written for them still compiles. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Any = any;

export abstract class StandIn<Shown = Worker> extends PoolBase<PoolEvents<Shown, Any>> {
  readonly #kind: string;
  protected isOver = false;

  protected constructor(kind: string, options: FilledOptions, policy: Policy) {
    super(kind, options, policy);
    this.#kind = kind;
  }

  /** After their end, the originals take tasks again, with new workers. */
  protected ensureOpen(): void {
    if (this.isOver) this.reopen();
    this.isOver = false;
  }

  /** Settles inside an async resource, so that diagnostic tools see one per task. Errors are the original's. */
  protected inResource<R>(result: Promise<R>): Promise<R> {
    const triggerAsyncId = this.asyncResource.asyncId();
    const resource = new AsyncResource(`${this.#kind}.Task`, { triggerAsyncId });
    return new Promise((resolve, reject) => {
      result.then(
        (value) => resource.runInAsyncScope(resolve, undefined, value),
        (error: unknown) => resource.runInAsyncScope(reject, undefined, unwrapped(error)),
      );
    });
  }

  /** Is this code inside a worker of a pool? */
  static get isWorkerThread(): boolean {
    return workerContext().isWorkerThread;
  }

  /** Inside a worker: the option `workerData`. */
  static get workerData(): Any {
    return workerContext().workerData;
  }

  static readonly version: string = VERSION;
  static readonly move: typeof move = move;
  static readonly transferableSymbol: typeof transferableSymbol = transferableSymbol;
  static readonly valueSymbol: typeof valueSymbol = valueSymbol;
  static readonly queueOptionsSymbol: typeof queueOptionsSymbol = queueOptionsSymbol;
}

/** Copies inherited statics, because some tools look only at own properties. */
export function giveStatics(Class: object): void {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(StandIn)))
    if (!Object.hasOwn(Class, name)) Object.defineProperty(Class, name, property);
}
