/** How a function is called, as bits; 0: with the task's value. Wrappers around the function do the rest. */
/** The value is an array of arguments. */
export const SPREAD = 1;
/** The call has a context: `task` of `@plimsoll/pool/worker`. */
export const OBSERVED = 2;
/** The worker keeps the returned iterable for further tasks. */
export const STREAMED = 4;
/** The task continues such an iterable: its value is a `StreamStep`, and it calls no function. */
export const CONTINUED = 8;
/** The value is a `FedValue`: some arguments are async iterables of the host. */
export const FED = 16;
/** The value is a `Packed`: its context and trace are restored around the call. */
export const CARRIED = 32;
/** The task calls no function, but returns the names of the exported functions. */
export const LISTED = 64;
/** The value is a `BytesCall`, and the result is bytes. With SPREAD, the bytes encode a list of arguments. */
export const BYTES = 128;

/** A task whose value the caller has as bytes of `encode`. The caller wants the result as bytes, too. */
export interface BytesCall {
  readonly task: Uint8Array;
  /** Largest result in bytes. For a larger result, only its size is returned. */
  readonly most: number;
}

/** A task with what travels beside it: a plain object, for the codec. */
export interface Packed {
  readonly task: unknown;
  /** Stores of AsyncLocalStorages, by registered name. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** W3C headers: `traceparent`, `tracestate`, `baggage`. */
  readonly trace?: Readonly<Record<string, string>>;
  /** If set, the worker reports the start of the task under this number. */
  readonly notice?: number;
}

export const NEXT = 0;
export const RETURN = 1;
/** Continue or end which of the worker's iterables. */
export type StreamStep = readonly [what: typeof NEXT | typeof RETURN, id: number];

/** Name of a host function, and its arguments. */
export type HostRequest = readonly [name: string, items: readonly unknown[]];

/** A function of a worker file, or a wrapper around one. The loop calls it with one value. */
export type TaskFunction = (...task: unknown[]) => unknown;

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** Calls `call`, then `onEnd`: at once, or when the returned promise has settled. */
export function withEnd(call: () => unknown, onEnd: (isFailed: boolean) => void): unknown {
  let isLater = false;
  let isFailed = true;
  try {
    const result = call();
    isLater = isThenable(result);
    isFailed = false;
    return isLater ? settled(result, onEnd) : result;
  } finally {
    if (!isLater) onEnd(isFailed);
  }
}

async function settled(result: unknown, onEnd: (isFailed: boolean) => void): Promise<unknown> {
  let isFailed = true;
  try {
    const value = await result;
    isFailed = false;
    return value;
  } finally {
    onEnd(isFailed);
  }
}

/** Properties that `await`, `JSON.stringify`, test runners and loggers read from any object. */
const PROBES = new Set([
  'then',
  'toJSON',
  'constructor',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
  'inspect',
]);

/** An object whose members are created when they are first read. */
export function callsByName(callOf: (name: string) => unknown): object {
  const valuesByName = new Map<string, unknown>();
  return new Proxy(Object.freeze(Object.create(null)), {
    get(_target, name) {
      if (typeof name !== 'string' || PROBES.has(name)) return undefined;
      const call = valuesByName.get(name) ?? callOf(name);
      valuesByName.set(name, call);
      return call;
    },
  });
}
