import type * as pump from '../host/pump.js';
import type * as host from '../host/start-thread.js';
import type * as clock from '../shared/clock.js';
import type * as context from '../shared/context.js';
import type * as listener from '../shared/listener.js';
import * as post from '../shared/post.js';
import * as table from '../shared/table.js';
import * as real from '../shared/timers.js';
import { cannotLoad } from '../worker/load-error.js';
import * as modules from '../worker/load-module.js';
import type * as worker from '../worker/thread.js';
import type { Simulation } from './simulation.js';

// Replacements for modules that depend on threads and time. `scripts/bundle-testing.mjs` redirects their imports here.

export * from '../shared/post.js';
export * from '../shared/table.js';
export * from '../shared/timers.js';

/** The argument of the function that `scripts/bundle-testing.mjs` makes of this folder and the pool. */
declare const SIMULATION: Simulation;

export let simulation = SIMULATION;

/** Reuses this realm for another pool. The pool before it must have ended. */
export function enter(next: Simulation): void {
  simulation = next;
}

export const source: clock.Source = 'uptime';
export const readTimeFrom: typeof clock.readTimeFrom = () => {};
export const now: typeof clock.now = () => simulation.time.now;

/** Virtual time, except that the next turn of the event loop is the real one. */
export const timers = {
  setTimeout: (callback: () => void, milliseconds = 0) => simulation.time.setTimeout(callback, milliseconds),
  clearTimeout: (timer: ReturnType<Simulation['time']['setTimeout']> | undefined) =>
    simulation.time.clearTimeout(timer),
  setImmediate: real.timers.setImmediate,
  /** A test keeps its own process alive. */
  hold: () => ({ ref() {}, unref() {}, close() {} }),
} satisfies Record<keyof typeof real.timers, unknown>;

export const isInTime: typeof real.isInTime = (something, milliseconds) =>
  simulation.countWait(real.isInTime(something, milliseconds, timers as never));

export const startThread: typeof host.startThread = () => simulation.startThread();

/** Never sleeps, and looks when the simulation asks it to. Without outstanding tasks, it looks only after changes. */
export class Pump implements Pick<pump.Pump, keyof pump.Pump> {
  readonly isStreaming = false;
  readonly #pumped: pump.Pumped;

  constructor(_words: Int32Array, pumped: pump.Pumped) {
    this.#pumped = pumped;
    simulation.pumped = pumped;
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

/** The simulation wakes both sides. */
export class Listener implements Pick<listener.Listener, keyof listener.Listener> {
  listen(): void {}

  hush(): void {}
}

/** Ports without listeners: the simulation reads them. Values are copied and transferred as by real ports. */
export class Post extends post.Post {
  #heard: (() => void) | undefined;

  override listen(heard: () => void): void {
    this.#heard = heard;
    simulation.posts.add(this);
  }

  override send(...message: Parameters<post.Post['send']>): void {
    super.send(...message);
    simulation.deliverSoon();
  }

  poll(): void {
    if (this.readAll()) this.#heard?.();
  }

  override close(): void {
    simulation.posts.delete(this);
    super.close();
  }
}

export const provideContext: typeof context.provideContext = (current, end) =>
  simulation.provideContext(current, end);

/** Uses the test's option `load`, if it returns exports for the file. */
export const loadModule: typeof modules.loadModule = async (name) => {
  let exports: unknown;
  try {
    exports = await simulation.load?.(name, simulation.loader);
  } catch (cause) {
    throw cannotLoad(name, cause);
  }
  return exports === undefined ? modules.loadModule(name) : { exports };
};

/** The simulation calls workers one at a time, so they need not wait. */
export const nextTick = ((callback: () => void) => callback()) as typeof worker.nextTick;
export const exit: typeof worker.exit = process.exit.bind(process);

/** The host is on the same thread. */
export const canBlock: typeof worker.canBlock = false;

/** Microtasks run in the test's own turn. */
export const runMicrotasks: typeof worker.runMicrotasks = () => {};

/** Tasks print on the test's own thread. */
export const isOutputPending: typeof worker.isOutputPending = () => false;
export const outputTaken: typeof worker.outputTaken = async () => {};

/** Workers that may claim a task now, and what to call then. */
const permits = new Map<number, (slot: number) => void>();

/** Allows a worker to claim one task during `drive`. */
export function withPermit(worker: number, onClaim: (slot: number) => void, drive: () => void): void {
  permits.set(worker, onClaim);
  try {
    drive();
  } finally {
    permits.delete(worker);
  }
}

/** Claims only with a permit. */
export const claim: typeof table.claim = (from, worker, accepts, mayPass) => {
  const onClaim = permits.get(worker);
  if (onClaim === undefined) return -1;
  const slot = table.claim(from, worker, accepts, mayPass);
  if (slot === -1) return -1;
  permits.delete(worker);
  onClaim(slot);
  return slot;
};

/** So that a worker without a permit sleeps. */
export const anythingQueued: typeof table.anythingQueued = () => false;
