/** Numbers that can be had again from their seed (splitmix32: every seed is a good one). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** 32 bits. */
  bits() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** From 0 up to, but not including 1. */
  unit() {
    return this.bits() / 2 ** 32;
  }

  /** A whole number from 0 up to, but not including `below`. */
  below(below) {
    return Math.floor(this.unit() * below);
  }

  between(least, most) {
    return least + this.below(most - least + 1);
  }

  chance(part) {
    return this.unit() < part;
  }

  of(list) {
    return list[this.below(list.length)];
  }

  /** A key of `weights`, as often as its weight says. */
  weighted(weights) {
    const all = Object.entries(weights);
    let left = this.unit() * all.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of all) {
      left -= weight;
      if (left < 0) return key;
    }
    return all[0][0];
  }
}
