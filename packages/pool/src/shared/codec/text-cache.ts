const PLACES = 1024;
/** Words of the longest cached text, head included: 28 characters. */
export const CACHED_WORDS = 8;

/** Finds the string that was last read from the same words. */
export class TextCache {
  readonly #entries = new Int32Array(PLACES * CACHED_WORDS);
  readonly #texts = new Array<string | undefined>(PLACES).fill(undefined);
  #place = 0;

  /** Looks up `size` words, head included. If it returns undefined, read the text and call `keep`. */
  find(words: Int32Array, start: number, size: number): string | undefined {
    let hash = words[start] as number;
    for (let at = start + 1; at < start + size; at++)
      hash = Math.imul(hash ^ (words[at] as number), 0x9e3779b1);
    this.#place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    const base = this.#place * CACHED_WORDS;
    for (let index = 0; index < size; index++) {
      if (this.#entries[base + index] !== words[start + index]) return undefined;
    }
    return this.#texts[this.#place];
  }

  keep(words: Int32Array, start: number, size: number, text: string): string {
    const base = this.#place * CACHED_WORDS;
    for (let index = 0; index < size; index++) this.#entries[base + index] = words[start + index] as number;
    this.#texts[this.#place] = text;
    return text;
  }
}
