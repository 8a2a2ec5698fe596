/** Up to this many objects, a search through all finds repeated ones faster than a Set, and takes no new memory. */
const FEW = 16;
/** A larger Set takes memory of its own from the system whenever it grows: twice the time for each object. */
const FULL = 4096;
/** Each object is looked for in all of them. */
const MOST_FULL = 2;

/** The objects of a message, in the order in which they were met. The encoder empties it without calling anything. */
export class Repeats {
  /** The first ones, and how many they are. */
  readonly first: (object | undefined)[] = new Array(FEW).fill(undefined);
  count = 0;
  many: Many | undefined;

  /** The number of an object that was met before, or -1. */
  numberOf(value: object): number {
    const { first, count } = this;
    if (this.many !== undefined) return this.many.numberOf(value);
    for (let index = 0; index < count; index++) if (first[index] === value) return index;
    if (count < FEW) first[this.count++] = value;
    else {
      this.many = new Many();
      for (const object of [...first, value]) this.many.numberOf(object as object);
    }
    return -1;
  }
}

class Many {
  #memo = new Set<object>();
  readonly #full: Set<object>[] = [];
  #numbers: Map<object, number> | undefined;

  numberOf(value: object): number {
    const memo = this.#memo;
    for (const full of this.#full) if (full.has(value)) return this.#numberOfKnown(value);
    const { size } = memo;
    if (memo.add(value).size === size) return this.#numberOfKnown(value);
    this.#numbers?.set(value, this.#full.length * FULL + size);
    if (size + 1 === FULL && this.#full.length < MOST_FULL) {
      this.#full.push(memo);
      this.#memo = new Set();
    }
    return -1;
  }

  /** Repeated objects are rare, and finding out with a Set takes one look-up instead of two. */
  #numberOfKnown(value: object): number {
    const memos = [...this.#full, this.#memo];
    this.#numbers ??= new Map(memos.flatMap((memo) => [...memo]).map((object, index) => [object, index]));
    return this.#numbers.get(value) as number;
  }
}
