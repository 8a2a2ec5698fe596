import { SLEEPING } from './gate.js';

/** Not in the types of the oldest language version that is supported. */
const { waitAsync } = Atomics as unknown as {
  waitAsync(words: Int32Array, gate: number, state: number): { value: unknown };
};

/**
 * Receives the one wake-up owed by the side that turned a gate from SLEEPING. A message on a port would do, but costs both
 * sides more, and the sleeper 30 microseconds more until it runs.
 *
 * A wait stays on when the side wakes up for another reason, and counts for its next sleep. Node does not keep an event
 * loop alive for it (nodejs/node 61941), and should it do so one day, `hush` ends it.
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

  /** To be called by a side that sleeps. */
  listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    // When the gate has been turned by now, this is a string, and the wake-up comes all the same.
    const { value } = waitAsync(this.#words, this.#gate, SLEEPING);
    void Promise.resolve(value).then(this.#heard);
  }

  /** To be called by a side that waits for nothing any more. */
  hush(): void {
    if (this.#listening) Atomics.notify(this.#words, this.#gate);
  }
}
