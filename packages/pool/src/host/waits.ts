import { timers } from '../shared/timers.js';
import { Rejection } from './task.js';

/** A condition that callers await by a promise, which keeps the process alive as a task does. */
export class Wait {
  #promise: Promise<void> | undefined;
  #end: ((outcome?: Rejection) => void) | undefined;
  readonly #isMet: () => boolean;

  constructor(isMet: () => boolean) {
    this.#isMet = isMet;
  }

  get isAwaited(): boolean {
    return this.#promise !== undefined;
  }

  promise(): Promise<void> {
    if (this.#isMet()) return Promise.resolve();
    this.#promise ??= new Promise((resolve) => {
      const hold = timers.hold();
      hold.ref();
      this.#end = (outcome) => {
        this.#promise = this.#end = undefined;
        hold.close();
        resolve(outcome as undefined);
      };
    });
    return this.#promise;
  }

  /** The condition may hold now. Safe during a dispatch: no listener is called. */
  check(): void {
    if (this.isAwaited && this.#isMet()) this.fulfil();
  }

  fulfil(): void {
    this.#end?.();
  }

  /** The condition will not hold. A later `promise()` waits anew. */
  reject(reason: unknown): void {
    this.#end?.(new Rejection(reason));
  }
}
