import type { PoolError } from '../errors.js';
import type { Startup } from '../shared/messages.js';
import { isInTime } from '../shared/timers.js';
import { type Channel, channelOf } from './channel.js';
import { type Handlers, handlersOf } from './handlers.js';
import { lifecycleOf } from './lifecycle.js';
import { loopOf } from './loop.js';
import { outputTaken } from './thread.js';

export interface Ends {
  leave(): unknown;
  fail(error: unknown): unknown;
}

export type Worker = ReturnType<typeof workerOf>;

/** A worker without its thread. @param through wraps the worker's source of functions, for tests */
export function workerOf(
  startup: Startup,
  ends: Ends,
  through: (handlers: Handlers, channel: Channel) => Handlers = (handlers) => handlers,
) {
  const channel = channelOf(startup);
  const lifecycle = lifecycleOf(startup.lifecycle, () => channel.post(['disposes']));
  const handlers = through(handlersOf(channel, lifecycle), channel);
  const loop = loopOf(startup, channel, handlers);
  channel.onRetire = () => loop.retire(() => void end());

  /** Ends a retired worker: its files dispose, then the host takes their output. */
  async function end(): Promise<void> {
    try {
      await isInTime(lifecycle.dispose(), startup.patience);
    } catch (error) {
      await ends.fail(error);
      return;
    }
    await outputTaken();
    await ends.leave();
  }

  return {
    channel,
    loop,

    /**
     * Loads the pool's file. Returns false if its `setup()` failed, which ends the worker. If the file cannot be
     * loaded, only the tasks that need it fail.
     */
    async preload(): Promise<boolean> {
      try {
        if (startup.preload >= 0) await handlers.load(startup.preload, -1);
      } catch (error) {
        const { code, cause } = error as PoolError;
        if (code !== 'PLIMSOLL_POOL_START_FAILED') return true;
        await ends.fail(cause);
        return false;
      }
      return true;
    },

    open(kernelThreadId: number): void {
      channel.listen(loop.onMessage);
      channel.post(['ready', kernelThreadId]);
      loop.driveSoon();
    },
  };
}
