import type * as real from '../../worker/heap-watch.js';

/** The heap is that of the test. */
export class HeapWatch implements Pick<real.HeapWatch, keyof real.HeapWatch> {
  start(): void {}

  end(): void {}
}
