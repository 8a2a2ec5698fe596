import type * as real from '../../worker/microtasks.js';

/** A worker does at once what the simulation makes it do. */
export const nextTick = ((callback: () => void) => callback()) as typeof real.nextTick;

/** They belong to the test as well, and run when it is their turn. */
export const runMicrotasks: typeof real.runMicrotasks = () => {};
