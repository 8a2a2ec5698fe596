/** Up to this many objects, a linear search is faster than a Set, and allocates nothing. */
const FEW = 16;
/** Objects per Set. Growing further takes memory from the system each time, which doubles the time per object. */
const FULL = 4096;
/** Full Sets at most: each object is looked up in all of them. */
const MOST_FULL = 2;

/** The objects of a message, in order. Public fields, because the encoder clears them without calling anything. */
export class Repeats {
  readonly first: (object | undefined)[] = new Array(FEW).fill(undefined);
  count = 0;
  many: Many | undefined;

  /** Returns an object's number if it was met before; otherwise adds the object and returns -1. */
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

  /** Numbers are collected at the first repeated object. Without one, a single look-up per object suffices. */
  #numberOfKnown(value: object): number {
    const memos = [...this.#full, this.#memo];
    this.#numbers ??= new Map(memos.flatMap((memo) => [...memo]).map((object, index) => [object, index]));
    return this.#numbers.get(value) as number;
  }
}
