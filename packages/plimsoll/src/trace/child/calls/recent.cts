/** What was put in a short time ago, or asked for: at least the last `least`, at most twice as many. */
class Recent<Value> {
  readonly #least: number;
  #young = new Map<number, Value>();
  #old = new Map<number, Value>();

  constructor(least: number) {
    this.#least = least;
  }

  set(key: number, value: Value): void {
    if (this.#young.size >= this.#least) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  get(key: number): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined || this.#old.size === 0) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    // Connections live long and must not be forgotten while they are in use.
    this.#old.delete(key);
    this.set(key, old);
    return old;
  }

  delete(key: number): void {
    if (!this.#young.delete(key)) this.#old.delete(key);
  }
}

export = Recent;
