import type { Transferable } from 'node:worker_threads';
import { AbortError, badRange, badType, TimeoutError } from '../errors.js';
import { FED, OBSERVED } from '../shared/calls.js';
import { isMovable, unwrap } from '../shared/move.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import type { Core } from './core.js';
import { type FedParcel, fedParcel, isFeed, type Parcel } from './feed.js';
import {
  type AbortEmitter,
  type AbortSignalAny,
  count,
  duration,
  type Key,
  pathOf,
  type RetryPolicy,
  type RunOptions,
  retryOf,
  text,
} from './options.js';
import { type Extras, NO_EXTRAS, type Watch } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

const MOST = Number.MAX_SAFE_INTEGER;

/** The options of a task, checked. */
export interface Checked {
  /** null: none, neither here nor of the pool. */
  readonly filename: string | null;
  readonly name: string;
  readonly signal: AbortSignalAny | undefined;
  readonly timeout: number | undefined;
  readonly priority: number;
  /** Milliseconds; 0 for a task that nothing ends. */
  readonly grace: number;
  readonly retry: RetryPolicy | undefined;
  readonly key: Key | undefined;
  /** Of a part of a broadcast. */
  readonly worker?: WorkerHandle;
}

/** Runs a task that has options, whose value was marked by `move`, or is an async iterable. @throws on bad options */
export function runWith(core: Core, given: unknown, options: RunOptions): Promise<unknown> {
  const own = ownOf(options);
  const transfer = transferOf(own);
  const checked = check(core, own);
  if (isFeed(given)) return submitFed(core, fedParcel([given], transfer, given), checked, FED);
  return submit(core, parcelOf(given, transfer), handlerOf(core, checked), checked);
}

/** Submits a task, and lets go of its feeds when it is over. */
export async function submitFed(
  core: Core,
  parcel: FedParcel,
  checked: Checked,
  call: number,
): Promise<unknown> {
  try {
    return await submit(core, parcel, handlerOf(core, checked, call), checked);
  } finally {
    parcel.close();
  }
}

/** A copy without a prototype, so that nobody's polluted Object.prototype becomes an option. @throws TypeError */
export function ownOf<Options extends object>(options: Options, name = 'options'): Options {
  if (typeof options !== 'object' || options === null) throw badType(name, options, 'an object');
  return Object.assign(Object.create(null), options);
}

/** @throws TypeError or RangeError for what is wrong in options */
export function check(core: Core, own: RunOptions): Checked {
  const filename = pathOf('options.filename', own.filename) ?? core.options.filename;
  const name = text('options.name', own.name) ?? core.options.name;
  const timeout = duration('options.timeout', own.timeout);
  const signal = signalOf(own.signal);
  const priority = count('options.priority', own.priority, -MOST, MOST) ?? 0;
  const grace = duration('options.grace', own.grace) ?? 0;
  const retry = retryOf(own.retry);
  const key = keyOf(own.key);
  const mayEnd = signal !== undefined || timeout !== undefined;
  return { filename, name, timeout, signal, priority, grace: mayEnd ? grace : 0, retry, key };
}

/** The number of the function that options name, called in some way; -1: there is no file. */
export function handlerOf(core: Core, { filename, name, grace }: Checked, call = 0): number {
  return filename === null ? -1 : core.handlers.idOf(filename, name, grace > 0 ? call | OBSERVED : call);
}

export function submit(core: Core, parcel: Parcel, handler: number, checked: Checked): Promise<unknown> {
  const { signal } = checked;
  const extras = extrasOf(parcel, checked);
  if (!extras.abortable) return core.run(parcel.value, handler, extras);
  if (signal !== undefined && (signal as AbortSignal).aborted) {
    return Promise.reject(new AbortError((signal as AbortSignal).reason));
  }
  return core.run(parcel.value, handler, extras, watchOf(checked));
}

/** Has a task with these options nothing but its value? */
export const isPlain = ({ signal, timeout, priority, retry, key, worker }: Checked): boolean =>
  signal === undefined &&
  timeout === undefined &&
  priority === 0 &&
  retry === undefined &&
  key === undefined &&
  worker === undefined;

export function extrasOf({ transfer, original }: Parcel, checked: Checked): Extras {
  const { signal, timeout, priority, grace, retry, key, worker } = checked;
  const abortable = signal !== undefined || timeout !== undefined;
  return { ...NO_EXTRAS, transfer, abortable, priority, original, grace, retry, key, worker };
}

/** Watches the signal and the timeout of a task; undefined: it has none. */
export function watchOf({ signal, timeout }: Checked): Watch | undefined {
  if (signal === undefined && timeout === undefined) return undefined;
  return (end, name) => watch(end, name, signal, timeout);
}

export function transferOf({ transferList }: RunOptions): readonly Transferable[] {
  if (transferList !== undefined && !Array.isArray(transferList)) {
    throw badType('options.transferList', transferList, 'an array');
  }
  return [...((transferList ?? []) as Transferable[])];
}

export function parcelOf(given: unknown, transfer: readonly Transferable[]): Parcel {
  if (!isMovable(given)) return { value: given, transfer, original: undefined };
  const moved = unwrap(given);
  return { value: moved.value, transfer: [...transfer, ...moved.transfer], original: given };
}

function keyOf(key: unknown): Key | undefined {
  if (key === undefined || typeof key === 'string') return key;
  if (typeof key !== 'number') throw badType('options.key', key, 'a string or a number');
  if (Number.isNaN(key)) throw badRange('options.key', key, 'a string or a number');
  return key;
}

export function signalOf(signal: unknown): AbortSignalAny | undefined {
  if (signal === undefined || signal === null) return undefined;
  const methods = signal as Record<string, unknown>;
  if (typeof signal === 'object') {
    if (typeof methods.addEventListener === 'function') return signal as AbortSignal;
    if (typeof methods.once === 'function' && typeof methods.off === 'function')
      return signal as AbortEmitter;
  }
  throw badType('options.signal', signal, 'an AbortSignal or an EventEmitter');
}

/** Ends the task on whichever comes first. Returns how to stop watching. */
export function watch(
  end: (reason: unknown) => void,
  name: string,
  signal: AbortSignalAny | undefined,
  timeout: number | undefined,
): () => void {
  const onAbort = (): void => end(new AbortError((signal as AbortSignal).reason));
  if (signal !== undefined) listen(signal, onAbort);
  const timer =
    timeout === undefined || timeout > LONGEST_TIMER
      ? undefined
      : timers.setTimeout(() => end(new TimeoutError(timeout, name)), timeout);
  return () => {
    timers.clearTimeout(timer);
    if (signal === undefined) return;
    try {
      unlisten(signal, onAbort);
    } catch {
      // An emitter of the user's may throw; the task has ended all the same.
    }
  };
}

export function listen(signal: AbortSignalAny, listener: () => void): void {
  if ('addEventListener' in signal) signal.addEventListener('abort', listener, { once: true });
  else signal.once('abort', listener);
}

export function unlisten(signal: AbortSignalAny, listener: () => void): void {
  if ('removeEventListener' in signal) signal.removeEventListener('abort', listener);
  else signal.off('abort', listener);
}
