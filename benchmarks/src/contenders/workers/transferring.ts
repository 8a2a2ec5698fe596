import type { Transferable } from 'node:worker_threads';

/** A result of the bare pool of which something is to be transferred. */
export class Transferring {
  constructor(
    readonly value: unknown,
    readonly transfer: readonly Transferable[],
  ) {}
}
