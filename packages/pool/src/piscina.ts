import { availableParallelism } from 'node:os';
import type { Transferable, Worker } from 'node:worker_threads';
import type { AbortSignalAny, FilledOptions, PoolOptions, RunOptions } from './host/options.js';
import type { Policy } from './host/state.js';
import { runWith } from './host/submit.js';
import type { WorkerHandle } from './host/worker-handle.js';
import { plan } from './host/workers.js';
import { chooserFor, workerView } from './piscina/balance.js';
import { CustomQueue } from './piscina/custom-queue.js';
import {
  ArrayTaskQueue,
  FixedQueue,
  isTaskQueue,
  type LoadBalancer,
  type PoolWorker,
  queueOptionsSymbol,
  type TaskQueue,
} from './piscina/task-queue.js';
import type { CloseOptions, PoolHistogram } from './pool-base.js';
import { workerContext } from './shared/context.js';
import type { HistogramSummary } from './shared/histogram.js';
import { move, transferableSymbol, valueSymbol } from './shared/move.js';
import {
  type Any,
  argvOf,
  type Checks,
  check,
  fill,
  giveStatics,
  integerOf,
  isBoolean,
  isNumber,
  isObject,
  isText,
  StandIn,
  threadsOf,
} from './stand-in.js';
import { VERSION } from './version.js';

/**
 * Options of Piscina. `Piscina` has the original's methods, options, statics and error texts;
 * docs/guide/migrating-from-piscina.md lists the differences.
 */
export interface PiscinaOptions extends Omit<PoolOptions, 'filename'> {
  filename?: string | null | undefined;
  /** With 'disabled', idle workers sleep at once; otherwise they first look for tasks for up to 0.2 ms. Default: 'sync'. */
  atomics?: 'sync' | 'async' | 'disabled' | undefined;
  /** Without effect: the order is always strict. */
  stricterFIFO?: boolean | undefined;
  /** Decides the order of waiting tasks. Default: first in, first out. */
  taskQueue?: TaskQueue | undefined;
  /** Chooses the worker of each task, instead of the first free one. Default: none. */
  loadBalancer?: LoadBalancer | undefined;
  /** Record run times per worker for load balancers. Default: false. */
  workerHistogram?: boolean | undefined;
}

/** Options with every default filled in. */
export interface FilledPiscinaOptions extends FilledOptions {
  atomics: 'sync' | 'async' | 'disabled';
  stricterFIFO: boolean;
  workerHistogram: boolean;
  taskQueue?: TaskQueue | undefined;
  loadBalancer?: LoadBalancer | undefined;
}

/** Options of `run`. */
export interface PiscinaRunOptions {
  transferList?: Transferable[] | undefined;
  filename?: string | null | undefined;
  signal?: AbortSignalAny | null | undefined;
  name?: string | null | undefined;
}

const isQueueLimit = (value: unknown): boolean => value === 'auto' || isNumber(0)(value);
const isNice = isNumber(process.platform === 'win32' ? Number.NEGATIVE_INFINITY : 0);
const isAtomics = (value: unknown): boolean => [null, 'sync', 'async', 'disabled'].includes(value as string);
const isBalancer = (value: unknown): boolean => typeof value === 'function' && value.length > 0;

const OPTIONS: Checks<PiscinaOptions> = [
  ['filename', isText, 'must be a string or null'],
  ['name', isText, 'must be a string or null'],
  ['minThreads', isNumber(0), 'must be a non-negative integer'],
  ['maxThreads', isNumber(1), 'must be a positive integer'],
  ['idleTimeout', isNumber(0), 'must be a non-negative integer'],
  ['maxQueue', isQueueLimit, 'must be a non-negative integer'],
  ['concurrentTasksPerWorker', isNumber(1), 'must be a positive integer'],
  ['atomics', isAtomics, 'should be a value of sync, sync or disabled.'],
  ['resourceLimits', isObject, 'must be an object'],
  ['taskQueue', isTaskQueue, 'must be a TaskQueue object'],
  ['niceIncrement', isNice, 'must be a non-negative integer on Unix systems'],
  ['trackUnmanagedFds', isBoolean, 'must be a boolean value'],
  ['closeTimeout', isNumber(0), 'must be a non-negative integer'],
  ['loadBalancer', isBalancer, 'must be a function with at least two args'],
  ['workerHistogram', isBoolean, 'must be a boolean'],
  ['stricterFIFO', isBoolean, 'must be a boolean'],
];

const RUN_OPTIONS: Checks<PiscinaRunOptions> = [
  ['transferList', Array.isArray, 'must be an Array'],
  ['filename', isText, 'must be a string'],
  ['name', isText, 'must be a string'],
  ['signal', (value: unknown) => typeof value === 'object', 'must be an object'],
];

function translate(source: PiscinaOptions): PiscinaOptions {
  const options: PiscinaOptions = Object.assign(Object.create(null), source);
  check(options, OPTIONS, (name) => `options.${name}`);
  const { minThreads, maxThreads, maxQueue } = options;
  return Object.assign(options, {
    ...threadsOf(minThreads, maxThreads, Math.floor(availableParallelism() * 1.5)),
    idleTimeout: options.idleTimeout ?? 0,
    maxQueue: maxQueue === 'auto' ? maxQueue : integerOf(maxQueue),
    concurrentTasksPerWorker: integerOf(options.concurrentTasksPerWorker),
    niceIncrement: integerOf(options.niceIncrement),
    filename: options.filename || undefined,
    name: options.name ?? undefined,
    argv: argvOf(options.argv ?? undefined),
    execArgv: options.execArgv ?? undefined,
    env: options.env ?? undefined,
    recordTiming: options.recordTiming === undefined || Boolean(options.recordTiming),
    atomics: options.atomics ?? 'sync',
    stricterFIFO: options.stricterFIFO ?? false,
    workerHistogram: options.workerHistogram ?? false,
  });
}

const UNTIMED = { resetRunTime() {}, resetWaitTime() {} } as PoolHistogram;

function policyOf({ taskQueue, loadBalancer, workerHistogram = false, atomics }: PiscinaOptions): Policy {
  return {
    // To Piscina, exported functions named `setup` and `dispose` are tasks.
    hooks: {},
    neverSpins: atomics === 'disabled',
    queueOf: (state) => taskQueue && new CustomQueue(taskQueue, state),
    chooserOf: (state) => loadBalancer && chooserFor(loadBalancer, state, workerHistogram),
  };
}

/** Compilers look for `default` in what `require` returns. Inherited, because Piscina has no such own property. */
abstract class Required extends StandIn<PoolWorker> {
  static get default(): typeof Piscina {
    return Piscina;
  }
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
export class Piscina<T = Any, R = Any> extends Required {
  /** Written out, because bundlers rename classes. */
  static override readonly name: string = 'Piscina';

  constructor(options: PiscinaOptions = {}) {
    const filled = fill(translate(options)) as FilledPiscinaOptions;
    super('Piscina', filled, policyOf(filled));
  }

  run(task: T, options: PiscinaRunOptions = {}): Promise<R> {
    if (!isObject(options)) return Promise.reject(new TypeError('options must be an object'));
    try {
      const runOptions: PiscinaRunOptions = Object.assign(Object.create(null), options);
      check(runOptions, RUN_OPTIONS, (name) => `${name} argument`);
      this.ensureOpen();
      return this.inResource(runWith(this.core, task, runOptions as RunOptions) as Promise<R>);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The older form of `run`, from Piscina 1 to 3. */
  runTask(
    task: T,
    transferList?: Transferable[] | string | AbortSignalAny,
    filename?: string | AbortSignalAny,
    signal?: AbortSignalAny,
  ): Promise<R> {
    const positional = [transferList, filename, signal];
    const options: PiscinaRunOptions = {
      transferList: positional.find(Array.isArray) as Transferable[] | undefined,
      filename: positional.find((value) => typeof value === 'string') as string | undefined,
      signal: positional.find((value) => isObject(value) && !Array.isArray(value)) as
        | AbortSignalAny
        | undefined,
    };
    return this.run(task, options);
  }

  async close(options: CloseOptions = {}): Promise<void> {
    if (!isObject(options)) throw new TypeError('options must be an object');
    const { force } = options;
    if (force !== undefined && typeof force !== 'boolean') {
      throw new TypeError('force argument must be a boolean');
    }
    await this.#announced(this.core.close(force ?? false));
    this.sayDestroyed();
    this.isOver = true;
  }

  override async destroy(): Promise<void> {
    await this.#announced(super.destroy());
    this.isOver = true;
  }

  /** Piscina reports a timeout of `close()` or `destroy()` as an event. */
  async #announced(end: Promise<void>): Promise<void> {
    try {
      await end;
    } catch (error) {
      this.emit('error', error);
    }
  }

  protected override viewOf(worker: WorkerHandle): PoolWorker {
    return workerView(worker, this.options.workerHistogram);
  }

  override get options(): Readonly<FilledPiscinaOptions> {
    return super.options as Readonly<FilledPiscinaOptions>;
  }

  /** Piscina starts all of `minThreads` at once, so this starts the missing workers. */
  override get threads(): Worker[] {
    plan(this.core, true);
    return super.threads;
  }

  /** Includes starting workers: Piscina counts the first workers as ready from the beginning. */
  override get idleThreads(): number {
    plan(this.core, true);
    return this.core.spareThreads;
  }

  /** Without `recordTiming`, its `runTime` and `waitTime` are undefined. */
  override get histogram(): PoolHistogram {
    return this.options.recordTiming ? super.histogram : UNTIMED;
  }

  /** The run times of tasks, as in Piscina 1 to 4; null without `recordTiming`. */
  get runTime(): HistogramSummary | null {
    return this.histogram.runTime ?? null;
  }

  /** The wait times of tasks, as in Piscina 1 to 4; null without `recordTiming`. */
  get waitTime(): HistogramSummary | null {
    return this.histogram.waitTime ?? null;
  }

  static get Piscina(): typeof Piscina {
    return Piscina;
  }

  static readonly FixedQueue: typeof FixedQueue = FixedQueue;
  static readonly ArrayTaskQueue: typeof ArrayTaskQueue = ArrayTaskQueue;
}

giveStatics(Piscina);
export default Piscina;
export {
  ArrayTaskQueue,
  FixedQueue,
  move,
  queueOptionsSymbol,
  transferableSymbol,
  VERSION as version,
  valueSymbol,
};
export const isWorkerThread: boolean = workerContext().isWorkerThread;
export const workerData: Any = workerContext().workerData;
export type {
  LoadBalancer as PiscinaLoadBalancer,
  PoolTask as PiscinaTask,
  PoolWorker as PiscinaWorker,
  TaskQueue,
} from './piscina/task-queue.js';
