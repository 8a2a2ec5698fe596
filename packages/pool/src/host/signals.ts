import { AbortError, badType, TimeoutError } from '../errors.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import type { AbortSignalAny } from './options.js';

export function signalOf(signal: unknown): AbortSignalAny | undefined {
  if (signal === undefined || signal === null) return undefined;
  const { addEventListener, once, off } = signal as Record<string, unknown>;
  const isEmitter = typeof once === 'function' && typeof off === 'function';
  if (typeof signal === 'object' && (typeof addEventListener === 'function' || isEmitter))
    return signal as AbortSignalAny;
  throw badType('options.signal', signal, 'an AbortSignal or an EventEmitter');
}

/** The error of a task whose signal was aborted before the task began. */
export const abortOf = (signal: AbortSignalAny | undefined): AbortError | undefined =>
  (signal as AbortSignal | undefined)?.aborted ? new AbortError((signal as AbortSignal).reason) : undefined;

interface Watchers {
  readonly listeners: Set<() => void>;
  readonly onAbort: () => void;
}

/** One listener per signal for all its tasks: a signal searches all its listeners when one is added or removed. */
const watchers = new WeakMap<AbortSignalAny, Watchers>();

/** Adds `end` to the signal's listeners. Returns a function that removes it. */
function join(signal: AbortSignalAny, end: () => void): () => void {
  const watcher = watchers.get(signal) ?? firstOf(signal);
  const { listeners, onAbort } = watcher;
  listeners.add(end);
  return () => {
    if (!listeners.delete(end) || listeners.size > 0 || watchers.get(signal) !== watcher) return;
    watchers.delete(signal);
    unlisten(signal, onAbort);
  };
}

function firstOf(signal: AbortSignalAny): Watchers {
  const listeners = new Set<() => void>();
  const onAbort = (): void => {
    watchers.delete(signal);
    for (const end of listeners) end();
  };
  listen(signal, onAbort);
  const first = { listeners, onAbort };
  watchers.set(signal, first);
  return first;
}

/** Calls `end` on abort or timeout, whichever comes first. Returns a function that stops watching. */
export function watch(
  end: (reason: unknown) => void,
  name: string,
  signal: AbortSignalAny | undefined,
  timeout: number | undefined,
): () => void {
  const onAbort = (): void => end(new AbortError((signal as AbortSignal).reason));
  const leave = signal === undefined ? undefined : join(signal, onAbort);
  const timer =
    timeout === undefined || timeout > LONGEST_TIMER
      ? undefined
      : timers.setTimeout(() => end(new TimeoutError(timeout, name)), timeout);
  return () => {
    timers.clearTimeout(timer);
    try {
      leave?.();
    } catch {
      // A user's emitter may throw; the task has ended all the same.
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
