import { parentPort, workerData } from 'node:worker_threads';
import { clockFrom } from '../shared/clock.js';
import { Memory } from '../shared/memory.js';
import type { Startup, ToWorker, WatchOptions } from '../shared/messages.js';
import { fast, slow } from './calls.js';
import { coreWait } from './core-wait.js';
import { beatAtRandom } from './poisson.js';
import { PoolWatcher } from './pool-watcher.js';
import { Prober } from './prober.js';
import { lookAtOldest, Watch } from './watch.js';

/** For fast canaries: at one per 20 ms, 60 are out while the pool makes them wait for four seconds. */
const FAST_PER_HALVING = 16;
/** For slow canaries: a full pool serves one slow job per pass of its queue, in place of a lookup. */
const SLOW_PER_HALVING = 1;
/** Slows the clock for a pool at rest: its waits are all alike, and most of the cost is waking up. */
const QUIET_STRETCH = 4;

const { buffer, origin, resolution, slowResolution, watches: initialWatches } = workerData as Startup;
const memory = new Memory(buffer);
const now = clockFrom(origin);
const pool = new PoolWatcher(memory.pool, now);
const watches = new Map<number, Watch>();
const add = (options: WatchOptions) =>
  watches.set(options.id, new Watch(options, (news) => parentPort?.postMessage(news)));
for (const options of initialWatches) add(options);

parentPort?.on('message', (message: ToWorker) => {
  if ('add' in message) add(message.add);
  else watches.delete(message.remove);
});

const common = { coreWait: coreWait(), now, random: Math.random };
const fastProber = new Prober({
  ...{ ...common, waits: memory.fast, call: fast, perHalving: FAST_PER_HALVING },
  onWait(sentAt, wait) {
    for (const watch of watches.values()) watch.returned(sentAt, wait, now());
  },
});
const slowProber = new Prober({
  ...{ ...common, waits: memory.slow, call: slow, perHalving: SLOW_PER_HALVING },
  onWait: () => {},
});

const mayGo = (stretch: number): boolean => pool.look(fastProber.out + slowProber.out, stretch);

beatAtRandom(resolution, now, (stretch) => {
  if (mayGo(stretch)) {
    if (fastProber.out > 0) lookAtOldest(watches, memory.fast, now);
    fastProber.tick(stretch);
    common.coreWait();
  }
  return pool.isQuiet ? QUIET_STRETCH : 1;
});
beatAtRandom(slowResolution, now, () => {
  if (mayGo(1)) slowProber.tick();
  common.coreWait();
  return 1;
});
