import { timers } from '../shared/timers.js';

interface Waiting {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  /** Keeps the process alive, as a task does. */
  readonly hold: ReturnType<typeof timers.hold>;
}

/** The promise that as many workers as there must be are ready. Made when somebody asks for it. */
export class Readiness {
  #waiting: Waiting | undefined;

  get promise(): Promise<void> {
    this.#waiting ??= wait();
    return this.#waiting.promise;
  }

  reached(): void {
    this.#end()?.resolve();
  }

  /** Who asks again waits for another attempt. */
  failed(reason: unknown): void {
    this.#end()?.reject(reason);
  }

  #end(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.hold.close();
    return waiting;
  }
}

function wait(): Waiting {
  const hold = timers.hold();
  hold.ref();
  let resolve = (): void => {};
  let reject: (reason: unknown) => void = resolve;
  const promise = new Promise<void>((onReached, onFailed) => {
    resolve = onReached;
    reject = onFailed;
  });
  return { promise, resolve, reject, hold };
}
