import type * as real from '../../worker/output.js';

/** What tasks print is printed. */
export class Output implements Pick<real.Output, keyof real.Output> {
  readonly isPending = false;

  async taken(): Promise<void> {}
}
