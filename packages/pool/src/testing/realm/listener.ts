import type * as real from '../../shared/listener.js';

/** Whoever sleeps is woken by the simulation. */
export class Listener implements Pick<real.Listener, keyof real.Listener> {
  listen(): void {}

  hush(): void {}
}
