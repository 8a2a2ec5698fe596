import { SLEEPING } from './gate.js';

/** Not in the types of the oldest supported language version. */
const { waitAsync } = Atomics as unknown as {
  waitAsync(words: Int32Array, gate: number, state: number): { value: unknown };
};

/**
 * Receives the one wake-up owed by the side that turned the gate; a message would cost both sides more, and 30 microseconds. A
 * wait outlives other wake-ups and serves the next sleep. Node keeps no event loop alive for it (nodejs/node 61941).
 */
export class Listener {
  #listening = false;
  readonly #words: Int32Array;
  readonly #gate: number;
  readonly #heard: () => void;

  constructor(words: Int32Array, gate: number, wake: () => void) {
    this.#words = words;
    this.#gate = gate;
    this.#heard = () => {
      this.#listening = false;
      wake();
    };
  }

  /** Call before sleeping. */
  listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    // If the gate was turned already, `value` is a string, and `#heard` is called, too.
    const { value } = waitAsync(this.#words, this.#gate, SLEEPING);
    void Promise.resolve(value).then(this.#heard);
  }

  /** Call when there is nothing left to wait for. */
  hush(): void {
    if (this.#listening) Atomics.notify(this.#words, this.#gate);
  }
}
