import type { Transferable } from 'node:worker_threads';
import { AbortError, badType, TimeoutError } from '../errors.js';
import { isMovable, unwrap } from '../shared/move.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import type { Core } from './core.js';
import {
  type AbortEmitter,
  type AbortSignalAny,
  count,
  duration,
  pathOf,
  type RunOptions,
  text,
} from './options.js';
import type { Extras } from './task.js';

const MOST = Number.MAX_SAFE_INTEGER;

/** Runs a task that has options, or whose value was marked by `move`. @throws on bad options */
export function runWith(core: Core, given: unknown, options: RunOptions): Promise<unknown> {
  if (typeof options !== 'object' || options === null) throw badType('options', options, 'an object');
  const own: RunOptions = Object.assign(Object.create(null), options);
  const { value, transfer } = separate(given, own);
  const handler = handlerOf(core, own);
  const timeout = duration('options.timeout', own.timeout);
  const signal = signalOf(own.signal);
  const extras: Extras = {
    transfer,
    abortable: signal !== undefined || timeout !== undefined,
    priority: count('options.priority', own.priority, -MOST, MOST) ?? 0,
    original: value === given ? undefined : given,
    release: undefined,
  };
  if (!extras.abortable) return core.run(value, handler, extras);
  if (signal !== undefined && (signal as AbortSignal).aborted) {
    return Promise.reject(new AbortError((signal as AbortSignal).reason));
  }
  return core.run(value, handler, extras, (end, name) => watch(end, name, signal, timeout));
}

function separate(
  given: unknown,
  { transferList }: RunOptions,
): { value: unknown; transfer: Transferable[] } {
  if (transferList !== undefined && !Array.isArray(transferList)) {
    throw badType('options.transferList', transferList, 'an array');
  }
  const transfer = (transferList ?? []) as Transferable[];
  if (!isMovable(given)) return { value: given, transfer: [...transfer] };
  const moved = unwrap(given);
  return { value: moved.value, transfer: [...transfer, ...moved.transfer] };
}

function handlerOf(core: Core, { filename, name }: RunOptions): number {
  const file = pathOf('options.filename', filename) ?? core.options.filename;
  const called = text('options.name', name) ?? core.options.name;
  return file === null ? -1 : core.handlers.idOf(file, called);
}

function signalOf(signal: unknown): AbortSignalAny | undefined {
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
function watch(
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

function listen(signal: AbortSignalAny, listener: () => void): void {
  if ('addEventListener' in signal) signal.addEventListener('abort', listener, { once: true });
  else signal.once('abort', listener);
}

function unlisten(signal: AbortSignalAny, listener: () => void): void {
  if ('removeEventListener' in signal) signal.removeEventListener('abort', listener);
  else signal.off('abort', listener);
}
