import type * as real from '../../worker/spin.js';

/** Nothing comes while this thread spins. */
export class Spinner implements Pick<real.Spinner, keyof real.Spinner> {
  spin(): boolean {
    return false;
  }

  sleeps(): void {}

  woken(): void {}
}
