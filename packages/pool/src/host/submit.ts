import type { Transferable } from 'node:worker_threads';
import { badRange, badType } from '../errors.js';
import { callsByName, OBSERVED } from '../shared/calls.js';
import { areCopied, isMovable } from '../shared/move.js';
import type { Core } from './core.js';
import { closed } from './faults.js';
import {
  count,
  duration,
  hostOf,
  type Key,
  pathOf,
  type RetryPolicy,
  type RunOptions,
  retryOf,
  text,
} from './options.js';
import { type Parcel, parcelOf, unmoved } from './parcel.js';
import { abortOf, signalOf } from './signals.js';
import { type Extras, NO_EXTRAS } from './task.js';
import { takesTasks, type WorkerHandle } from './worker-handle.js';

const MOST = Number.MAX_SAFE_INTEGER;

export type Checked = ReturnType<typeof check> & { readonly worker?: WorkerHandle };

/** A copy without a prototype, so that a polluted Object.prototype adds no option. @throws TypeError */
export function plainCopy<Options extends object>(options: Options, name = 'options'): Options {
  if (typeof options !== 'object' || options === null) throw badType(name, options, 'an object');
  return Object.assign(Object.create(null), options);
}

/** @throws TypeError or RangeError for bad options */
export function check(core: Core, options: RunOptions) {
  const timeout = duration('options.timeout', options.timeout);
  const signal = signalOf(options.signal);
  const grace = duration('options.grace', options.grace) ?? 0;
  const mayAsk = grace > 0 && (signal !== undefined || timeout !== undefined);
  const host = hostOf('options.host', options.host);
  if (host !== undefined) core.callsHost = true;
  return {
    /** null: neither the options nor the pool has a file. */
    filename: pathOf('options.filename', options.filename) ?? core.options.filename,
    name: text('options.name', options.name) ?? core.options.name,
    timeout,
    signal,
    priority: count('options.priority', options.priority, -MOST, MOST) ?? 0,
    grace: mayAsk ? grace : 0,
    retry: retryOf('options.retry', options.retry),
    key: keyOf(options.key),
    host,
    /** OBSERVED: the task may be asked to end, or may call the host. */
    call: mayAsk || core.callsHost ? OBSERVED : 0,
  };
}

function keyOf(key: unknown): Key | undefined {
  if (key === undefined || typeof key === 'string') return key;
  if (typeof key !== 'number') throw badType('options.key', key, 'a string or a number');
  if (Number.isNaN(key)) throw badRange('options.key', key, 'a string or a number');
  return key;
}

export function transferOf({ transferList }: RunOptions): readonly Transferable[] {
  if (transferList !== undefined && !Array.isArray(transferList)) {
    throw badType('options.transferList', transferList, 'an array');
  }
  return [...((transferList ?? []) as Transferable[])];
}

export function runWith(core: Core, task: unknown, options: RunOptions): Promise<unknown> {
  const copy = plainCopy(options);
  const transfer = transferOf(copy);
  const checked = check(core, copy);
  return submit(core, parcelOf([task], transfer, false, core.options.maxValueBytes), checked);
}

export function submit(core: Core, parcel: Parcel, checked: Checked): Promise<unknown> {
  const { value, call, close } = parcel;
  const abort = abortOf(checked.signal);
  const promise =
    abort === undefined
      ? core.run(value, handlerOf(core, checked, call), extrasOf(parcel, checked))
      : Promise.reject(abort);
  return close === undefined ? promise : promise.finally(close);
}

/** The number of the named function; -1: there is no file. @param more further bits of `shared/calls.ts` */
export function handlerOf(core: Core, { filename, name, call }: Checked, more = 0): number {
  return filename === null ? -1 : core.handlers.idOf(filename, name, call | more);
}

/** undefined: the task has nothing but its value. */
export function extrasOf({ transfer, original }: Parcel, checked: Checked): Extras | undefined {
  const { signal, timeout, priority, grace, retry, key, host, worker } = checked;
  const abortable = signal !== undefined || timeout !== undefined;
  const isPlain =
    !abortable && priority === 0 && retry === undefined && key === undefined && host === undefined;
  if (isPlain && worker === undefined && transfer.length === 0 && original === undefined) return undefined;
  const extras = { ...NO_EXTRAS, transfer, abortable, priority, original, grace, retry, key, host, worker };
  extras.isCopied = transfer.length > 0 && areCopied(transfer);
  extras.signal = signal;
  extras.timeout = timeout;
  return extras;
}

/** Options of a proxy, for each of its calls. */
export type ProxyOptions = Omit<RunOptions, 'name' | 'transferList'>;

/** An object whose members call the exported functions of these names. @throws TypeError or RangeError for bad options */
export function proxyOf(core: () => Core, options: ProxyOptions): object {
  const copy: RunOptions = plainCopy(options);
  refuse('name', copy.name, 'left out: a proxy calls a function by the name of its member');
  refuse('transferList', copy.transferList, 'left out: mark with move() what an argument transfers');
  const checked = check(core(), copy);
  return callsByName((name) => {
    const named = { ...checked, name };
    return (...items: unknown[]): Promise<unknown> => {
      try {
        const { maxValueBytes } = core().options;
        return submit(core(), parcelOf(items, [], true, maxValueBytes), named);
      } catch (error) {
        return Promise.reject(error);
      }
    };
  });
}

export function refuse(name: string, value: unknown, right: string): void {
  if (value !== undefined) throw badType(`options.${name}`, value, right);
}

/** Options of `broadcast()`. */
export type BroadcastOptions = Pick<
  RunOptions,
  'name' | 'filename' | 'signal' | 'timeout' | 'grace' | 'host'
>;

/** The outcome of a broadcast in one worker. */
export type BroadcastResult<Value> =
  | { readonly threadId: number; readonly status: 'fulfilled'; readonly value: Value }
  | { readonly threadId: number; readonly status: 'rejected'; readonly reason: unknown };

const NEVER: RetryPolicy = { on: [], max: 0, backoff: 0 };
const SUPPORTED = ['name', 'filename', 'signal', 'timeout', 'grace', 'host'];

export function broadcast(
  core: Core,
  value: unknown,
  options: BroadcastOptions,
): Promise<BroadcastResult<unknown>[]> {
  const copy = plainCopy(options);
  for (const [name, given] of Object.entries(copy))
    if (!SUPPORTED.includes(name)) refuse(name, given, `left out: a broadcast takes ${SUPPORTED.join(', ')}`);
  if (isMovable(value)) throw badType('task', value, 'a value that is copied, for each worker');
  const checked = check(core, copy);
  if (core.closing) throw closed();
  const abort = abortOf(checked.signal);
  if (abort !== undefined) throw abort;
  const parts = core.workers.filter(takesTasks).map((worker) => {
    const { threadId } = worker;
    // Not an async function, which would appear among the callers in the stacks of errors.
    return submit(core, unmoved(value), { ...checked, retry: NEVER, worker }).then(
      (result) => ({ threadId, status: 'fulfilled' as const, value: result }),
      (reason) => ({ threadId, status: 'rejected' as const, reason }),
    );
  });
  return Promise.all(parts);
}
