import { EventEmitter } from 'node:events';
import { checkRescue, type RescueOptions } from '../options.js';
import { sizeFor } from '../shared/pool-size.js';
import { clock } from './deadline.js';
import type { RescueChange } from './rescuer.js';
import { engineLink, threadPool } from './thread-pool.js';

const START_MS = 30_000;

interface RescueEvents {
  grow: [change: RescueChange];
  shrink: [change: RescueChange];
  /** Adding or removing threads failed; the rescue tries again. */
  failed: [change: RescueChange];
}

/** A running rescue. It has its own thread, so a blocked event loop delays only its events. */
export class PoolRescue extends EventEmitter<RescueEvents> {
  readonly max: number;
  /** How often it added and removed threads, and the last change. */
  grown = 0;
  shrunk = 0;
  last: RescueChange | undefined;

  constructor(max: number) {
    super();
    this.max = max;
  }

  /** Threads that currently serve the queue. */
  get size(): number {
    return threadPool.size ?? 0;
  }

  /** Resolves once the added threads are removed. @throws ResizeError if jobs prevent it */
  async stop(): Promise<void> {
    const link = engineLink();
    link.onRescue = undefined;
    await link.request({ rescue: undefined, deadline: clock() + START_MS });
  }
}

/**
 * Adds threads to libuv's pool while pool threads are blocked and jobs wait, and removes them later, so that
 * threads which hang on a file system or a name server stop no other job. A queue that is long because
 * threads compute gets no threads. A process can have one rescue; it does not keep the process alive.
 *
 * @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION
 * @throws ResizeError, code PLIMSOLL_MONITOR_RESCUE_UNAVAILABLE if this process allows no rescue (the message
 *   says what to do), PLIMSOLL_MONITOR_RESCUE_RUNNING if it already has one
 * @example
 * const rescue = await rescueThreadPool({ max: 32 });
 * rescue.on('grow', ({ from, size, reason }) => console.warn(`pool: ${from} to ${size} threads: ${reason}`));
 */
export async function rescueThreadPool(options: RescueOptions = {}): Promise<PoolRescue> {
  const settings = checkRescue(options, threadPool.size ?? sizeFor(process.env.UV_THREADPOOL_SIZE));
  const link = engineLink();
  await link.request({ rescue: settings, deadline: clock() + START_MS });
  const rescue = new PoolRescue(settings.max);
  link.onRescue = (change) => {
    if (change.type === 'grow') rescue.grown++;
    if (change.type === 'shrink') rescue.shrunk++;
    if (change.type !== 'failed') rescue.last = change;
    rescue.emit(change.type, change);
  };
  return rescue;
}
