import { types } from 'node:util';
import { MessagePort } from 'node:worker_threads';
import { clone } from './clone.js';

const { getPrototypeOf, keys } = Object;
const { isBoxedPrimitive, isMap, isNativeError, isPromise, isProxy, isSet, isWeakMap, isWeakSet } = types;
const eachOfMap = Map.prototype.forEach;
const eachOfSet = Set.prototype.forEach;

/** So many parts are looked at. */
const MOST = 2 ** 23;
/** So often a function or the like turns out to be in an object of which no properties are cloned. */
const MOST_MISTAKES = 100;

/** A part of a value, and how to get there: '.user.socket'. */
export interface Culprit {
  readonly path: string;
  readonly value: unknown;
}

/**
 * Finds the part for which a value cannot be cloned, or gives up. It only looks, in the order of cloning, for what can never be
 * cloned: to clone each part for itself would take a hundred times as long as the whole.
 */
export const findCulprit = (value: unknown): Culprit | undefined => new Search().find(value);

/** An object on the way, and which of its parts are next. */
class Place {
  next = 0;
  readonly value: object;
  readonly isSuspect: boolean;
  readonly parent: Place | undefined;
  /** Which part of its parent it is. */
  readonly number: number;
  readonly #list: readonly unknown[];
  #names: readonly string[] | undefined;

  constructor(value: object, isSuspect: boolean, parent?: Place, number = 0) {
    this.value = value;
    this.isSuspect = isSuspect;
    this.parent = parent;
    this.number = number;
    this.#list = listOf(value);
  }

  hasNext(): boolean {
    if (this.next < this.#list.length) return true;
    this.#names ??= namesOf(this.value);
    return this.next < this.#list.length + this.#names.length;
  }

  part(number: number): unknown {
    try {
      if (number < this.#list.length) return this.#list[number];
      return (this.value as Record<string, unknown>)[this.#name(number)];
    } catch {
      return undefined;
    }
  }

  #name(number: number): string {
    return this.#names?.[number - this.#list.length] as string;
  }

  step(number: number): string {
    if (isMap(this.value)) return this.#stepInMap(number);
    if (isSet(this.value)) return `.values()[${number}]`;
    if (number < this.#list.length) return `[${number}]`;
    const name = this.#name(number);
    return /^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  }

  #stepInMap(number: number): string {
    const key = this.#list[number & ~1];
    if ((number & 1) === 0) return `.keys()[${number >> 1}]`;
    return typeof key === 'object' || typeof key === 'function'
      ? `.values()[${number >> 1}]`
      : `.get(${String(key)})`;
  }

  get path(): string {
    const steps: string[] = [];
    for (let place: Place = this; place.parent !== undefined; place = place.parent) {
      steps.push(place.parent.step(place.number));
    }
    return steps.reverse().join('');
  }
}

/** The parts of what is cloned as a list; of a Map, the keys and the values by turns. */
function listOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value.length <= MOST ? value : [];
  const list: unknown[] = [];
  if (isMap(value)) eachOfMap.call(value, (item, key) => list.push(key, item));
  else if (isSet(value)) eachOfSet.call(value, (item) => list.push(item));
  return list;
}

/** The properties that are cloned, as far as they are in no list. */
function namesOf(value: object): readonly string[] {
  if (isNativeError(value)) return ['cause'];
  if (Array.isArray(value)) return keys(value).filter((name) => !/^\d+$/.test(name));
  const hasOthers = isMap(value) || isSet(value) || ArrayBuffer.isView(value) || isBoxedPrimitive(value);
  return hasOthers ? [] : keys(value);
}

/** What is known of a value by itself. */
const FINE = 0;
/** It is of a class for which only cloning shows whether its objects can be cloned. */
const SUSPECT = 1;
/** Nothing in it, and nothing around it, makes it possible to clone it. */
const HOPELESS = 2;
/** It can be transferred alone. Node crashes when one that is closed is cloned. */
const PORT = 3;

function judge(value: unknown): number {
  if (typeof value !== 'object')
    return typeof value === 'function' || typeof value === 'symbol' ? HOPELESS : FINE;
  if (value === null) return FINE;
  if (isProxy(value)) return HOPELESS;
  const prototype: unknown = getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return FINE;
  if (isMap(value) || isSet(value) || isNativeError(value)) return FINE;
  if (prototype === MessagePort.prototype) return PORT;
  return isPromise(value) || isWeakMap(value) || isWeakSet(value) ? HOPELESS : SUSPECT;
}

/** Has an array or a plain object nothing in it but what can be cloned by itself? Most of a large value is such objects. */
function isFlat(value: object): boolean {
  try {
    if (Array.isArray(value)) return keys(value).length === value.length && value.every(isSimple);
    for (const name of keys(value)) if (!isSimple((value as Record<string, unknown>)[name])) return false;
    return !isMap(value) && !isSet(value) && !isNativeError(value);
  } catch {
    return false;
  }
}

const isSimple = (value: unknown): boolean =>
  value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol');

class Search {
  readonly #seen = new Set<object>();
  readonly #way: Place[] = [];
  /** Those behind whose parts the search has got. */
  readonly #suspects: Place[] = [];
  #mistakes = 0;
  #port: Culprit | undefined;

  find(value: unknown): Culprit | undefined {
    const verdict = judge(value);
    if (verdict === HOPELESS || verdict === PORT) return { path: '', value };
    if (typeof value !== 'object' || value === null) return undefined;
    this.#seen.add(value);
    this.#way.push(new Place(value, verdict === SUSPECT));
    for (let looks = 0; looks < MOST && this.#mistakes < MOST_MISTAKES; looks++) {
      const place = this.#way.at(-1);
      if (place === undefined) return this.#port ?? this.#firstSuspect();
      const found = this.#look(place);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #look(place: Place): Culprit | undefined {
    if (!place.hasNext()) {
      this.#way.pop();
      if (place.isSuspect) this.#suspects.push(place);
      return undefined;
    }
    const number = place.next++;
    const part = place.part(number);
    const verdict = judge(part);
    if (verdict === PORT) this.#port ??= { path: place.path + place.step(number), value: part };
    if (verdict === HOPELESS) {
      return this.#isSure() ? { path: place.path + place.step(number), value: part } : undefined;
    }
    if (typeof part !== 'object' || part === null || this.#seen.has(part)) return undefined;
    this.#seen.add(part);
    if (verdict === FINE && isFlat(part)) return undefined;
    this.#way.push(new Place(part, verdict === SUSPECT, place, number));
    return undefined;
  }

  /** Some objects are cloned without their properties. Then it goes on behind the object. */
  #isSure(): boolean {
    const outermost = this.#way.findIndex((place) => place.isSuspect);
    if (outermost === -1 || this.#port !== undefined) return true;
    if (fails((this.#way[outermost] as Place).value)) return true;
    this.#way.length = outermost;
    this.#mistakes++;
    return false;
  }

  /** The first suspect that cannot be cloned. All of its parts can, as they come before it. */
  #firstSuspect(): Culprit | undefined {
    const suspects = this.#suspects;
    let low = 0;
    for (let high = suspects.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (fails(suspects.slice(low, middle).map((place) => place.value))) high = middle;
      else low = middle;
    }
    const first = suspects[low];
    return first !== undefined && fails(first.value) ? first : undefined;
  }
}

function fails(value: unknown): boolean {
  try {
    clone(value);
    return false;
  } catch {
    return true;
  }
}
