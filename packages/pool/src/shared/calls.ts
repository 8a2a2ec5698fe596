/** How a function is called, as bits; none: with the value of the task. The rest is done by wrappers around it. */
/** The value is an array, and its items are the arguments. */
export const SPREAD = 1;
/** The call has a context: `task` of `@plimsoll/pool/worker`. */
export const OBSERVED = 2;
/** What the function returns is kept by the worker, to be iterated by further tasks. */
export const STREAMED = 4;
/** One of those: it calls no function, and its value is a `StreamStep`. */
export const CONTINUED = 8;
/** The value is a `FedValue`: some of the arguments are async iterables of the host. */
export const FED = 16;
/** The value is a `Packed`: what travels beside the task is restored around the call. */
export const CARRIED = 32;
/** It calls no function, but gives the names of those that the file exports. */
export const LISTED = 64;
/** The value is a `BytesCall`, and so is the result. With SPREAD the bytes are those of a list of arguments. */
export const BYTES = 128;

/** A task for whom has it as bytes of `encode`, and wants its result as such, not as a value. */
export interface BytesCall {
  readonly task: Uint8Array;
  /** Bytes that the result may have; of a larger one only their number comes. */
  readonly most: number;
}

/** A task and what travels beside it: a plain object, which the codec knows. */
export interface Packed {
  readonly task: unknown;
  /** What the registered AsyncLocalStorages held, by their names. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Of W3C: `traceparent`, `tracestate`, `baggage`. */
  readonly trace?: Readonly<Record<string, string>>;
  /** Somebody waits to hear that the task of this number begins. */
  readonly notice?: number;
}

export const NEXT = 0;
export const RETURN = 1;
/** What shall be done with which iterable of the worker. */
export type StreamStep = readonly [what: typeof NEXT | typeof RETURN, id: number];

/** The name of a function of the host, and its arguments. */
export type HostRequest = readonly [name: string, items: readonly unknown[]];

/** A function of a worker file, or a wrapper around one: the loop gives it one value. */
export type TaskFunction = (...task: unknown[]) => unknown;

/** Has it a method `then`, as promises have? */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** Calls something, and then `onEnd`: once the promise is settled, if it gives one. */
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

/** Asked of any object by `await`, `JSON.stringify`, test runners, loggers: no code would handle the result of such a call. */
const PROBES = new Set([
  'then',
  'toJSON',
  'constructor',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
  'inspect',
]);

/** An object whose members are made when they are first asked for. */
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
