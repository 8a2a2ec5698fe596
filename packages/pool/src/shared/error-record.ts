import { brand, type PoolError, UncloneableError } from '../errors.js';

/**
 * An error on its way to another thread. Structured clone keeps only message, stack and cause of an error, and
 * only the names of the standard; this keeps its class by name, its code, its causes and its own properties.
 */
export interface ErrorRecord {
  /** The closest class of the language that it extends. */
  readonly base: string;
  /** The name of its constructor. */
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly own: Readonly<Record<string, Carried>>;
}

/** A value beside an error: an error again, errors in an array, or anything that can be cloned. */
type Carried = { error: ErrorRecord } | { errors: Carried[] } | { value: unknown };

const BASES: Readonly<Record<string, new (message: string) => Error>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};
const MAX_DEPTH = 8;
const classes = new Map<string, new (message: string) => Error>();

const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

/** What a task threw, ready for the codec. */
export function carry(value: unknown, depth = 0): Carried {
  if (isError(value)) return { error: recordOf(value, depth) };
  if (Array.isArray(value) && value.some(isError)) return { errors: value.map((item) => carry(item, depth)) };
  return { value: structuredClone(value) };
}

function recordOf(error: Error, depth: number): ErrorRecord {
  return {
    base: baseOf(error),
    type: text(error.constructor?.name, 'Error'),
    name: text(error.name, 'Error'),
    message: text(error.message, ''),
    stack: typeof error.stack === 'string' ? error.stack : undefined,
    own: depth < MAX_DEPTH ? ownOf(error, depth) : {},
  };
}

const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

function baseOf(error: Error): string {
  if (typeof DOMException === 'function' && error instanceof DOMException) return 'DOMException';
  for (let level: unknown = error; level !== null; level = Object.getPrototypeOf(level)) {
    const name = (level as { constructor?: { name?: string } }).constructor?.name ?? '';
    if (Object.hasOwn(BASES, name)) return name;
  }
  return 'Error';
}

function ownOf(error: Error, depth: number): Record<string, Carried> {
  const own: Record<string, Carried> = Object.create(null);
  const names = new Set([...Object.keys(error), 'cause', 'errors']);
  for (const name of names) {
    if (!Object.hasOwn(error, name) || name === 'stack' || name === 'message') continue;
    try {
      own[name] = carry((error as unknown as Record<string, unknown>)[name], depth + 1);
    } catch {
      // A property that cannot be cloned stays behind; the error itself matters more.
    }
  }
  return own;
}

/** The other end of `carry`. */
export function restore(carried: Carried): unknown {
  if ('error' in carried) return errorOf(carried.error);
  return 'errors' in carried ? carried.errors.map(restore) : carried.value;
}

function errorOf(record: ErrorRecord): Error {
  const error = create(record);
  define(error, 'stack', record.stack, false);
  if (record.base !== 'DOMException' && error.name !== record.name) {
    define(error, 'name', record.name, Object.hasOwn(record.own, 'name'));
  }
  for (const [name, carried] of Object.entries(record.own)) {
    define(error, name, restore(carried), name !== 'cause' && name !== 'errors');
  }
  return String((error as { code?: unknown }).code).startsWith('PLIMSOLL_POOL_') ? brand(error) : error;
}

function create({ base, type, message, name }: ErrorRecord): Error {
  if (base === 'DOMException') return new DOMException(message, name);
  if (type === 'AggregateError') return new AggregateError([], message);
  return new (classOf(base, type))(message);
}

/** A class of the same name, so that `error.constructor.name` and logs say what they said in the worker. */
function classOf(base: string, type: string): new (message: string) => Error {
  const Base = BASES[base] ?? Error;
  if (type === base) return Base;
  const key = `${base}/${type}`;
  let known = classes.get(key);
  if (known === undefined) {
    known = class extends Base {};
    Object.defineProperty(known, 'name', { value: type });
    if (classes.size < 1000) classes.set(key, known);
  }
  return known;
}

function define(target: object, name: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true });
}

/** Finds the first part of a value that cannot be cloned: 'task.user.socket'. */
export function uncloneable(root: string, value: unknown, cause: unknown): Error {
  if (!isCloneError(cause)) return cause as Error;
  const found = search(root, value, new Set(), 0);
  return found ?? new UncloneableError(root, whatItIs(value), { cause });
}

const isCloneError = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'DataCloneError';

function search(path: string, value: unknown, seen: Set<unknown>, depth: number): PoolError | undefined {
  if (seen.has(value) || depth > 100) return undefined;
  seen.add(value);
  const failure = cloneFailure(value);
  if (failure === undefined) return undefined;
  for (const [step, child] of childrenOf(value)) {
    const found = search(path + step, child, seen, depth + 1);
    if (found !== undefined) return found;
  }
  return new UncloneableError(path, whatItIs(value), { cause: failure });
}

function cloneFailure(value: unknown): unknown {
  try {
    structuredClone(value);
    return undefined;
  } catch (error) {
    return error;
  }
}

function childrenOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.map((item, index) => [`[${index}]`, item]);
  if (value instanceof Map) return [...value].map(([key, item]) => [`.get(${String(key)})`, item]);
  if (value instanceof Set) return [...value].map((item, index) => [`.values()[${index}]`, item]);
  return Object.keys(value).map((key) => [
    /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    (value as Record<string, unknown>)[key],
  ]);
}

function whatItIs(value: unknown): string {
  if (typeof value === 'function') return 'it is a function';
  if (typeof value === 'symbol') return 'it is a symbol';
  if (typeof value !== 'object' || value === null) return 'it is of no kind that can be cloned';
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return `it is an object of class ${typeof name === 'string' ? name : 'Object'}`;
}
