import type { PoolError } from '../errors.js';
import type { Startup } from '../shared/messages.js';
import { isInTime } from '../shared/timers.js';
import { type Channel, channelOf } from './channel.js';
import { Handlers } from './handlers.js';
import { Lifecycle } from './lifecycle.js';
import { type Loop, loopOf } from './loop.js';
import { outputTaken } from './thread.js';

/** How a worker's thread ends. */
export interface Ends {
  /** It has nothing more to do. */
  leave(): unknown;
  /** By an uncaught error. */
  fail(error: unknown): unknown;
}

/** A worker, but for its thread. */
export class Worker {
  readonly channel: Channel;
  readonly loop: Loop;
  readonly #startup: Startup;
  readonly #ends: Ends;
  readonly #handlers: Handlers;
  readonly #lifecycle: Lifecycle;

  constructor(startup: Startup, ends: Ends, handlersOf = newHandlers) {
    this.#startup = startup;
    this.#ends = ends;
    this.channel = channelOf(startup);
    this.#lifecycle = new Lifecycle(startup.lifecycle, () => this.channel.post(['disposes']));
    this.#handlers = handlersOf(this.channel, this.#lifecycle);
    this.loop = loopOf(startup, this.channel, this.#handlers);
    this.channel.onRetire = () => this.loop.retire(() => void this.#end());
  }

  /**
   * Loads the pool's file. False when its `setup()` has failed, and with it the worker. A file that fails to load fails the tasks
   * that need it, each with the true reason.
   */
  async preload(): Promise<boolean> {
    try {
      if (this.#startup.preload >= 0) await this.#handlers.load(this.#startup.preload, -1);
    } catch (error) {
      const { code, cause } = error as PoolError;
      if (code !== 'PLIMSOLL_POOL_START_FAILED') return true;
      await this.#ends.fail(cause);
      return false;
    }
    return true;
  }

  /** Takes tasks from now on. */
  open(kernelThreadId: number): void {
    this.channel.listen(this.loop.onMessage);
    this.channel.post(['ready', kernelThreadId]);
    this.loop.driveSoon();
  }

  /** It has nothing more to do: its files dispose of what they have, and what they print arrives. */
  async #end(): Promise<void> {
    try {
      await isInTime(this.#lifecycle.dispose(), this.#startup.patience);
    } catch (error) {
      await this.#ends.fail(error);
      return;
    }
    await outputTaken();
    await this.#ends.leave();
  }
}

const newHandlers = (...parts: ConstructorParameters<typeof Handlers>): Handlers => new Handlers(...parts);
