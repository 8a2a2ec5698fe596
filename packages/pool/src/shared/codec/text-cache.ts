const PLACES = 1024;
/** Words of the longest text that is kept, its head included: 28 characters. */
export const CACHED_WORDS = 8;

/** Strings that repeat are made once: the words that stand for a text lead to the string of last time. */
export class TextCache {
  readonly #entries = new Int32Array(PLACES * CACHED_WORDS);
  readonly #texts = new Array<string | undefined>(PLACES).fill(undefined);
  #place = 0;

  /** The string for `size` words from `start`, head included; or undefined: then make it and call `keep`. */
  find(words: Int32Array, start: number, size: number): string | undefined {
    let hash = words[start] as number;
    for (let at = start + 1; at < start + size; at++)
      hash = Math.imul(hash ^ (words[at] as number), 0x9e3779b1);
    this.#place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    const base = this.#place * CACHED_WORDS;
    // The head holds the length, so equal heads mean equal sizes.
    for (let index = 0; index < size; index++) {
      if (this.#entries[base + index] !== words[start + index]) return undefined;
    }
    return this.#texts[this.#place];
  }

  /** Keeps the string that `find` has just not found. */
  keep(words: Int32Array, start: number, size: number, text: string): string {
    const base = this.#place * CACHED_WORDS;
    for (let index = 0; index < size; index++) this.#entries[base + index] = words[start + index] as number;
    this.#texts[this.#place] = text;
    return text;
  }
}
