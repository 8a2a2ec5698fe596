import { timers } from '../shared/timers.js';

/** A condition that others wait for by a promise, which keeps the process alive as a task does. */
export class Wait {
  isAwaited = false;
  #promise!: Promise<void>;
  #resolve!: () => void;
  #reject!: (reason: unknown) => void;
  #hold!: ReturnType<typeof timers.hold>;
  readonly #isMet: () => boolean;

  constructor(isMet: () => boolean) {
    this.#isMet = isMet;
  }

  /** Resolves when the condition holds: at once, if it does. */
  promise(): Promise<void> {
    if (this.#isMet()) return Promise.resolve();
    if (!this.isAwaited) {
      this.isAwaited = true;
      this.#hold = timers.hold();
      this.#hold.ref();
      this.#promise = new Promise((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
      });
    }
    return this.#promise;
  }

  /** The condition may hold. Calls nobody: it may be in the middle of a dispatch. */
  check(): void {
    if (this.isAwaited && this.#isMet()) this.fulfil();
  }

  fulfil(): void {
    if (this.isAwaited) this.#end(this.#resolve);
  }

  /** It will not come about. Who waits again waits for another attempt. */
  reject(reason: unknown): void {
    if (this.isAwaited) this.#end(() => this.#reject(reason));
  }

  #end(settle: () => void): void {
    this.isAwaited = false;
    this.#hold.close();
    settle();
  }
}
