import context = require('../context.cjs');
import type CallLog = require('./log.cjs');

type Context = ReturnType<typeof context.current>;
// biome-ignore lint/complexity/noBannedTypes: any function of Node's or of the program's
type Fn = Function;

const { apply } = Reflect;
const { then } = Promise.prototype;

/** How a function tells its result: to a callback, by a promise, or by one that is watched for its end. */
type Style = 'callback' | 'promise' | 'watched';

/** Puts functions in the place of Node's, which do the same and tell the log which operation each call is. */
class Operations {
  readonly #log: CallLog;
  /** Of streams: what the program calls in there is an operation of its own. */
  readonly #open = new WeakSet<Context>();
  /** Of what a stream does itself, in which calls are part of it: what its callbacks run in, which may lead to the program. */
  readonly #outside = new WeakMap<Context, Context>();

  constructor(log: CallLog) {
    this.#log = log;
  }

  /** Replace a function of an object by one that looks the same. */
  wrap(object: object, key: string, name: string, style: Style): void {
    replace(object, key, (original) => {
      const code = this.#log.code(name);
      const operations = this;
      return {
        call(this: unknown, ...args: unknown[]): unknown {
          return operations.#call(original, this, args, code, style);
        },
      }.call;
    });
  }

  /** Start an operation that what the program does in there does not belong to. */
  beginOpen(name: string): Context | undefined {
    const outer = context.get();
    if (this.isInside(outer)) return outer;
    if (!this.isRecorded()) return undefined;
    const own = this.#log.begin(this.#log.code(name), outer?.request ?? 0);
    this.#open.add(own);
    return own;
  }

  /** The same operation, for what it does itself: calls in there are part of it. */
  within(open: Context): Context {
    if (!this.#open.has(open)) return open;
    const inner = { ...open };
    this.#outside.set(inner, open);
    return inner;
  }

  /** Whether a call is a part of another one. */
  isInside(outer: Context | undefined): boolean {
    return outer !== undefined && outer.operation !== 0 && !this.#open.has(outer);
  }

  isRecorded(): boolean {
    return !this.#log.ring.isClosed && context.isOn();
  }

  /** The callback of an operation: that is over, and the program goes on in its own context. */
  leave(callback: Fn, operation: number, outer: Context | undefined): Fn {
    const log = this.#log;
    return function (this: unknown, ...args: unknown[]): unknown {
      log.end(operation);
      return context.run(outer, apply, callback, this, args);
    };
  }

  #call(original: Fn, self: unknown, args: unknown[], code: number, style: Style): unknown {
    const outer = context.get();
    const isInside = this.isInside(outer);
    const outside = isInside ? this.#outside.get(outer as Context) : undefined;
    if ((isInside && outside === undefined) || !this.isRecorded()) return apply(original, self, args);
    const at = style === 'callback' ? args.findLastIndex((arg) => typeof arg === 'function') : -1;
    if (outside !== undefined) {
      if (at !== -1) args[at] = inContext(args[at] as Fn, outside);
      return apply(original, self, args);
    }
    // Without a callback it is synchronous, or a mistake.
    if (style === 'callback' && at === -1) return apply(original, self, args);
    const own = this.#log.begin(code, outer?.request ?? 0);
    if (at !== -1) args[at] = this.leave(args[at] as Fn, own.operation, outer);
    const result: unknown = context.run(own, apply, original, self, args);
    return style === 'watched' ? this.#watch(result, own.operation) : result;
  }

  /** A promise that settles as another one does: to watch that alone would count as handling its rejection. */
  #watch(result: unknown, operation: number): unknown {
    if (!(result instanceof Promise)) return result;
    return apply(then, result, [
      (value: unknown) => {
        this.#log.end(operation);
        return value;
      },
      (reason: unknown) => {
        this.#log.end(operation);
        throw reason;
      },
    ]);
  }
}

function inContext(callback: Fn, own: Context): Fn {
  return function (this: unknown, ...args: unknown[]): unknown {
    return context.run(own, apply, callback, this, args);
  };
}

/**
 * Put a function in the place of another: with its name, its length, its properties, and as it was to be seen.
 *
 * @param make gives a method, which has no property of its own that it could not lose.
 */
function replace(object: object, key: string, make: (original: Fn) => Fn): void {
  const property = Object.getOwnPropertyDescriptor(object, key);
  // Somebody made it unchangeable, or wants to decide at each reading.
  if (property === undefined || typeof property.value !== 'function' || !property.configurable) return;
  const original = property.value as Fn;
  const replacement = make(original);
  for (const own of Reflect.ownKeys(original)) {
    const descriptor = Object.getOwnPropertyDescriptor(original, own);
    if (descriptor !== undefined) Reflect.defineProperty(replacement, own, descriptor);
  }
  Object.setPrototypeOf(replacement, Object.getPrototypeOf(original) as object | null);
  Object.defineProperty(object, key, { ...property, value: replacement });
}

export = { Operations, replace };
