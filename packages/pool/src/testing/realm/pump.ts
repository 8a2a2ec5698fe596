import type * as real from '../../host/pump.js';
import { simulation } from './here.js';

/**
 * Looks for results when the simulation says so, and never sleeps. Without outstanding tasks, as the real one, only when
 * something has changed.
 */
export class Pump implements Pick<real.Pump, keyof real.Pump> {
  readonly isStreaming = false;
  readonly #pumped: real.Pumped;

  constructor(_words: Int32Array, pumped: real.Pumped) {
    this.#pumped = pumped;
    simulation.attach(pumped);
  }

  stateChanged(): void {
    this.#pumped.wakeWorkers();
    this.woken();
  }

  woken(): void {
    simulation.looksOnce = true;
    simulation.changed();
  }

  stop(): void {
    simulation.stop();
  }
}
