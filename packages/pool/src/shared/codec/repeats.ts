import { UNKNOWN } from './tags.js';

/** Up to this many objects, a search through all finds repeated ones faster than a Set. */
const FEW = 48;
/** A larger Set takes memory of its own from the system whenever it grows: twice the time for each object. */
const FULL = 4096;
/** Each object is looked for in all of them. */
const MOST_FULL = 2;
/** A Set holds no more. */
const MOST = 2 ** 24 - 1;

/** The objects of a message, in the order in which they were met. */
export class Repeats {
  readonly #few: object[] = [];
  /** Once they are not few; and those before it. */
  #memo: Set<object> | undefined;
  readonly #full: Set<object>[] = [];
  #numbers: Map<object, number> | undefined;

  /** The number of an object that was met before, or -1. */
  numberOf(value: object): number {
    const memo = this.#memo;
    if (memo === undefined) {
      const number = this.#few.indexOf(value);
      if (number === -1 && this.#few.push(value) === FEW) this.#memo = new Set(this.#few);
      return number;
    }
    for (const full of this.#full) if (full.has(value)) return this.#numberAmongMany(value);
    const { size } = memo;
    if (size > MOST) throw UNKNOWN;
    if (memo.add(value).size === size) return this.#numberAmongMany(value);
    this.#numbers?.set(value, this.#full.length * FULL + size);
    if (size + 1 === FULL && this.#full.length < MOST_FULL) {
      this.#full.push(memo);
      this.#memo = new Set();
    }
    return -1;
  }

  /** Repeated objects are rare, and finding out with a Set takes one look-up instead of two. */
  #numberAmongMany(value: object): number {
    const memos = [...this.#full, this.#memo as Set<object>];
    this.#numbers ??= new Map(memos.flatMap((memo) => [...memo]).map((object, index) => [object, index]));
    return this.#numbers.get(value) as number;
  }
}
