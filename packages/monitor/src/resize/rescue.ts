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
  /** Threads could not be added or given back; it tries again. */
  failed: [change: RescueChange];
}

/** A rescue under way. It lives in a thread of its own, so a blocked event loop delays its events and nothing else. */
export class PoolRescue extends EventEmitter<RescueEvents> {
  readonly max: number;
  /** How often threads were added and given back, and the last change. */
  grown = 0;
  shrunk = 0;
  last: RescueChange | undefined;

  constructor(max: number) {
    super();
    this.max = max;
  }

  /** Threads that serve the queue now. */
  get size(): number {
    return threadPool.size ?? 0;
  }

  /** Watches no more, and gives back what was added; resolves when that is done. @throws ResizeError when jobs keep it from that */
  async stop(): Promise<void> {
    const link = engineLink();
    link.onRescue = undefined;
    await link.request({ rescue: undefined, deadline: clock() + START_MS });
  }
}

/**
 * Adds threads to libuv's pool while its own are blocked and jobs wait, and gives them back when that is over: four threads that
 * hang in a file system or a name server which does not answer stop no other job. A queue that is long because threads compute gets
 * none. One for a process; it does not keep the process alive.
 *
 * @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION
 * @throws ResizeError, code PLIMSOLL_MONITOR_RESCUE_UNAVAILABLE where this process was not started in a way that allows it, with
 *   what to do; PLIMSOLL_MONITOR_RESCUE_RUNNING when one runs in this process
 * @example
 * const rescue = await rescueThreadPool({ max: 32 });
 * rescue.on('grow', ({ from, size, reason }) => console.warn(`pool: ${from} to ${size} threads: ${reason}`));
 */
export async function rescueThreadPool(options: RescueOptions = {}): Promise<PoolRescue> {
  const usual = threadPool.size ?? sizeFor(process.env.UV_THREADPOOL_SIZE);
  const settings = checkRescue(options, usual);
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
