import * as real from '../../shared/timers.js';
import type { VirtualTimer } from '../virtual-time.js';
import { simulation } from './here.js';

export const LONGEST_TIMER: typeof real.LONGEST_TIMER = real.LONGEST_TIMER;

/** Virtual, but for the next turn of the event loop, which is the real one. */
export const timers = {
  setTimeout: (callback: () => void, milliseconds = 0) => simulation.time.setTimeout(callback, milliseconds),
  clearTimeout: (timer: VirtualTimer | undefined) => simulation.time.clearTimeout(timer),
  setImmediate: real.timers.setImmediate,
  /** What keeps a test waiting is its own. */
  hold: () => ({ ref() {}, unref() {}, close() {} }),
} satisfies Record<keyof typeof real.timers, unknown>;

export const isInTime: typeof real.isInTime = async (something, milliseconds) => {
  if (milliseconds === Number.POSITIVE_INFINITY) return something.then(() => true);
  let timer: VirtualTimer | undefined;
  const late = new Promise<false>((resolve) => {
    timer = simulation.time.setTimeout(() => resolve(false), Math.min(milliseconds, LONGEST_TIMER));
  });
  try {
    return await Promise.race([something.then(() => true), late]);
  } finally {
    simulation.time.clearTimeout(timer);
  }
};
