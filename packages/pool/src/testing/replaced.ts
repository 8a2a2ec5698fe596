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

// What a pool without threads has in the place of modules that stand on threads and time. `scripts/bundle-testing.mjs` leads their
// imports here.

export * from '../shared/post.js';
export * from '../shared/table.js';
export * from '../shared/timers.js';

/** What the function gets that `scripts/bundle-testing.mjs` makes of this folder and the pool: each pool has its own code. */
declare const SIMULATION: Simulation;

export let simulation = SIMULATION;

/** The code is that of another pool from now on; the pool before it must have ended. */
export function enter(next: Simulation): void {
  simulation = next;
}

export const source: clock.Source = 'uptime';
export const readTimeFrom: typeof clock.readTimeFrom = () => {};
export const now: typeof clock.now = () => simulation.time.now;

/** Virtual, but for the next turn of the event loop, which is the real one. */
export const timers = {
  setTimeout: (callback: () => void, milliseconds = 0) => simulation.time.setTimeout(callback, milliseconds),
  clearTimeout: (timer: ReturnType<Simulation['time']['setTimeout']> | undefined) =>
    simulation.time.clearTimeout(timer),
  setImmediate: real.timers.setImmediate,
  /** What keeps a test waiting is its own. */
  hold: () => ({ ref() {}, unref() {}, close() {} }),
} satisfies Record<keyof typeof real.timers, unknown>;

export const isInTime: typeof real.isInTime = (something, milliseconds) =>
  simulation.countWait(real.isInTime(something, milliseconds, timers as never));

export const startThread: typeof host.startThread = () => simulation.startThread();

/** Looks for results when the simulation says so; with no task outstanding, only when something has changed. Never sleeps. */
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

/** Whoever sleeps is woken by the simulation. */
export class Listener implements Pick<listener.Listener, keyof listener.Listener> {
  listen(): void {}

  hush(): void {}
}

/** Nobody listens to its ports: the simulation has them read. Values are copied, and moved, as by real ones. */
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

/** By the test's own function, if it has one for the file. */
export const loadModule: typeof modules.loadModule = async (name) => {
  let exports: unknown;
  try {
    exports = await simulation.load?.(name, simulation.loader);
  } catch (cause) {
    throw cannotLoad(name, cause);
  }
  return exports === undefined ? modules.loadModule(name) : { exports };
};

/** A worker does at once what the simulation makes it do. */
export const nextTick = ((callback: () => void) => callback()) as typeof worker.nextTick;
export const exit: typeof worker.exit = process.exit.bind(process);

/** The host is on this thread, too. */
export const canBlock: typeof worker.canBlock = false;

/** They belong to the test as well, and run when it is their turn. */
export const runMicrotasks: typeof worker.runMicrotasks = () => {};

/** What tasks print is printed. */
export const isOutputPending: typeof worker.isOutputPending = () => false;
export const outputTaken: typeof worker.outputTaken = async () => {};

/** The workers that may claim a task now, and their listener. */
const permits = new Map<number, (slot: number) => void>();

/** Lets a worker claim one task while `drive` runs. */
export function withPermit(worker: number, onClaim: (slot: number) => void, drive: () => void): void {
  permits.set(worker, onClaim);
  try {
    drive();
  } finally {
    permits.delete(worker);
  }
}

/** As the real one, for a worker that may claim. */
export const claim: typeof table.claim = (from, worker, accepts, mayPass) => {
  const onClaim = permits.get(worker);
  if (onClaim === undefined) return -1;
  const slot = table.claim(from, worker, accepts, mayPass);
  if (slot === -1) return -1;
  permits.delete(worker);
  onClaim(slot);
  return slot;
};

/** A worker without a permit may sleep. */
export const anythingQueued: typeof table.anythingQueued = () => false;
