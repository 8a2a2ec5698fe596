import { types } from 'node:util';
import { brand, UncloneableError } from '../errors.js';
import { node } from './node-realm.js';
import { reaches } from './parts.js';
import { uncloneable } from './uncloneable.js';
import { clone, isError, lineageOf, messageOf, read, readText, tried } from './untrusted.js';

/** A thrown value for another thread, with class names, codes and own properties, which structured clone would drop. */
export interface Thrown {
  readonly value: Carried;
  /** Every error that the value contains, once: errors may refer to one another in cycles. */
  readonly errors: readonly ErrorRecord[];
}

/** The index of an error; a list of errors and primitive values; or anything that can be cloned. */
type Carried = { error: number } | { list: Carried[] } | { value: unknown };

interface ErrorRecord {
  /** The closest built-in class that it extends. */
  readonly base: string;
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly properties: Readonly<Record<string, Carried>>;
}

type ErrorClass = new (first: never, message?: string) => Error;
const BASES: Readonly<Record<string, ErrorClass>> = Object.fromEntries(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError].map(
    (Base) => [Base.name, Base],
  ),
);
/** Not enumerable. */
const HIDDEN = ['cause', 'errors', 'error', 'suppressed'];
/** Further errors lose their own properties. */
const MOST_WITH_PROPERTIES = 1000;
/** Properties that are nested deeper are dropped. With the usual stack, a host can read three times this depth. */
const DEEPEST = 500;
/** Characters that `carryLess` keeps of a text. */
const CUT = 4096;
const WHAT = 'the thrown value';
// Saved, because an array may have another prototype, or own properties of these names.
const { every, some } = Array.prototype;

/** Never throws: parts that cannot be sent are dropped. */
export function carry(value: unknown): Thrown {
  try {
    return collect(value);
  } catch (cause) {
    try {
      return collect(uncloneable(WHAT, value, cause));
    } catch {
      return collect(new UncloneableError(WHAT, 'reading it throws an error that cannot be copied either'));
    }
  }
}

/** Reduces a value that is too large to send: keeps its code, by which callers recognize it, and the start of its texts. */
export function carryLess({ value, errors: [first] }: Thrown, reason: unknown): Thrown {
  if (first === undefined || !('error' in value))
    return collect(new UncloneableError(WHAT, messageOf(reason).slice(0, CUT)));
  const { message, stack, properties } = first;
  const code = read(properties.code, 'value');
  const isShort = typeof code === 'number' || (typeof code === 'string' && code.length <= CUT);
  const less = { message: message.slice(0, CUT), stack: stack?.slice(0, CUT) };
  return { value, errors: [{ ...first, ...less, properties: isShort ? { code: { value: code } } : {} }] };
}

/** Sends a thrown value, reduced if it cannot be sent whole. */
export function sendThrown<Sent>(value: unknown, send: (thrown: Thrown) => Sent): Sent {
  const thrown = carry(value);
  try {
    return send(thrown);
  } catch (reason) {
    return send(carryLess(thrown, reason));
  }
}

function collect(thrown: unknown): Thrown {
  const numbers = new Map<Error, number>();
  const carried = (value: unknown): Carried => {
    if (isError(value)) {
      if (!numbers.has(value)) numbers.set(value, numbers.size);
      return { error: numbers.get(value) as number };
    }
    if (isListOfErrors(value))
      return { list: Array.from({ length: value.length }, (_, at) => carried(value[at])) };
    return { value: isPrimitive(value) ? value : clone(value) };
  };
  const value = carried(thrown);
  const errors: ErrorRecord[] = [];
  // `carried` adds errors to the map in the meantime; the loop visits them, too.
  for (const error of numbers.keys())
    errors.push(recordOf(error, errors.length < MOST_WITH_PROPERTIES ? carried : undefined));
  return { value, errors };
}

/** Errors, perhaps with primitive values among them, like the `errors` of an AggregateError. */
function isListOfErrors(value: unknown): value is unknown[] {
  if (types.isProxy(value) || !Array.isArray(value)) return false;
  // First: a sparse array may have billions of holes.
  if (Object.keys(value).length !== value.length || !some.call(value, isError)) return false;
  return every.call(value, (item) => isError(item) || isPrimitive(item));
}

const isPrimitive = (value: unknown): boolean =>
  typeof value === 'object' ? value === null : typeof value !== 'function' && typeof value !== 'symbol';

function recordOf(error: Error, carried: ((value: unknown) => Carried) | undefined): ErrorRecord {
  const stack = read(error, 'stack');
  const base = baseOf(error);
  return {
    base: base ?? 'Error',
    type: base === undefined ? 'Error' : readText(read(error, 'constructor'), 'name', 'Error'),
    name: readText(error, 'name', 'Error'),
    message: messageTextOf(error),
    stack: typeof stack === 'string' ? stack : undefined,
    properties: carried === undefined ? {} : ownPropertiesOf(error, carried),
  };
}

/** If the message is an object, it becomes a string, as in structured clone. */
function messageTextOf(error: Error): string {
  const message = read(error, 'message');
  if (typeof message !== 'object' || message === null) return readText(error, 'message', '');
  return tried(() => String(message), '');
}

function baseOf(error: Error): string | undefined {
  const lineage = lineageOf(error);
  if (lineage.includes(node.DOMException.prototype)) return 'DOMException';
  const names = lineage.map((level) => read(read(level, 'constructor'), 'name'));
  return names.find((name) => typeof name === 'string' && Object.hasOwn(BASES, name)) as string | undefined;
}

function ownPropertiesOf(error: Error, carried: (value: unknown) => Carried): Record<string, Carried> {
  const properties: Record<string, Carried> = Object.create(null);
  for (const name of new Set([...Object.keys(error), ...HIDDEN])) {
    if (!Object.hasOwn(error, name) || name === 'stack' || name === 'message') continue;
    try {
      const part = carried((error as unknown as Record<string, unknown>)[name]);
      if (!reaches(part, (_, depth) => depth === DEEPEST)) properties[name] = part;
    } catch {
      // Dropped: it cannot be cloned, and the error itself matters more.
    }
  }
  return properties;
}

/** The inverse of `carry`. */
export function restore({ value, errors }: Thrown): unknown {
  const instances = errors.map(create);
  for (const [number, record] of errors.entries()) fill(instances[number] as Error, record, instances);
  return restored(value, instances);
}

function restored(carried: Carried, errors: readonly Error[]): unknown {
  if ('error' in carried) return errors[carried.error];
  return 'list' in carried ? carried.list.map((item) => restored(item, errors)) : carried.value;
}

function fill(error: Error, record: ErrorRecord, errors: readonly Error[]): void {
  define(error, 'stack', record.stack, false);
  if (record.base !== 'DOMException' && error.name !== record.name)
    define(error, 'name', record.name, Object.hasOwn(record.properties, 'name'));
  for (const [name, carried] of Object.entries(record.properties))
    define(error, name, restored(carried, errors), !HIDDEN.includes(name));
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && code.startsWith('PLIMSOLL_POOL_')) brand(error);
}

function create({ base, type, message, name }: ErrorRecord): Error {
  if (base === 'DOMException') return new node.DOMException(message, name);
  const Class = classOf(base, type);
  return base === 'AggregateError' ? new Class([] as never, message) : new Class(message as never);
}

const classes = new Map<string, ErrorClass>();

/** A class of the same name, so that `error.constructor.name` and logs are as in the worker. */
function classOf(base: string, type: string): ErrorClass {
  const Base = BASES[base] ?? Error;
  if (type === base) return Base;
  const key = `${base}/${type}`;
  const Class = classes.get(key) ?? Object.defineProperty(class extends Base {}, 'name', { value: type });
  if (classes.size < 1000) classes.set(key, Class);
  return Class;
}

function define(target: object, name: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true });
}
