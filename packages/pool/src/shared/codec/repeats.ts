import { UNKNOWN } from './tags.js';

/** Up to this many objects, a linear search finds repeated ones faster than a Set. */
const LINEAR = 12;
/** A Set holds no more. */
const MOST = 2 ** 24 - 1;

/** The objects of a message, in the order in which they were met. The encoder empties it without calling anything. */
export class Repeats {
  /** The first ones, and how many they are. */
  readonly first: (object | undefined)[] = new Array(LINEAR).fill(undefined);
  count = 0;
  memo: Set<object> | undefined;
  numbers: Map<object, number> | undefined;

  /** The number of an object that was met before, or -1. */
  numberOf(value: object): number {
    const { memo } = this;
    if (memo === undefined) return this.#numberAmongFew(value);
    const { size } = memo;
    if (size > MOST) throw UNKNOWN;
    if (memo.add(value).size > size) {
      this.numbers?.set(value, size);
      return -1;
    }
    // Repeated objects are rare, and finding out with a Set takes one look-up instead of two.
    this.numbers ??= new Map([...memo].map((object, index) => [object, index]));
    return this.numbers.get(value) as number;
  }

  #numberAmongFew(value: object): number {
    const { first, count } = this;
    for (let index = 0; index < count; index++) if (first[index] === value) return index;
    if (count < LINEAR) first[this.count++] = value;
    else this.memo = new Set([...(first as object[]), value]);
    return -1;
  }
}
