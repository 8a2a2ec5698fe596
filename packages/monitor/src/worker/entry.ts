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

/** Of the fast class: with 20 ms between them 60 are out when the pool makes them wait for four seconds. */
const FAST_PER_HALVING = 16;
/** Of the slow class a busy pool serves one for each pass of its queue; every canary takes the place of a lookup. */
const SLOW_PER_HALVING = 1;
/** All waits of a pool at rest are alike, and most of what the monitor costs is to wake up: there the clock is slower. */
const QUIET_STRETCH = 4;

const { buffer, origin, resolution, slowResolution, watches: given } = workerData as Startup;
const memory = new Memory(buffer);
const now = clockFrom(origin);
const pool = new PoolWatcher(memory.pool, now);
const watches = new Map<number, Watch>();
const add = (options: WatchOptions) =>
  watches.set(options.id, new Watch(options, (news) => parentPort?.postMessage(news)));
for (const options of given) add(options);

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
