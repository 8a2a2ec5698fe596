import { parentPort, workerData } from 'node:worker_threads';
import { clockFrom } from '../shared/clock.js';
import { Memory, type Waits } from '../shared/memory.js';
import type { Startup, ToWorker } from '../shared/messages.js';
import { fast, slow } from './calls.js';
import { beatAtRandom } from './poisson.js';
import { PoolWatcher } from './pool-watcher.js';
import { type Call, Prober } from './prober.js';
import { Watches } from './watch.js';

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
const watches = new Watches((news) => parentPort?.postMessage(news));
for (const options of given) watches.add(options);

parentPort?.on('message', (message: ToWorker) => {
  if ('add' in message) watches.add(message.add);
  else watches.remove(message.remove);
});

function prober(
  waits: Waits,
  call: Call,
  perHalving: number,
  onWait: (sentAt: number, wait: number) => void,
): Prober {
  return new Prober({ waits, call, perHalving, onWait, now, random: Math.random });
}

const fastProber = prober(memory.fast, fast, FAST_PER_HALVING, (sentAt, wait) =>
  watches.returned(sentAt, wait, now()),
);
const slowProber = prober(memory.slow, slow, SLOW_PER_HALVING, () => {});

const mayGo = (stretch: number): boolean => pool.look(fastProber.out + slowProber.out, stretch);

beatAtRandom(resolution, now, (stretch) => {
  if (mayGo(stretch)) {
    if (fastProber.out > 0) watches.look(memory.fast, now);
    fastProber.tick(stretch);
  }
  return pool.isQuiet ? QUIET_STRETCH : 1;
});
beatAtRandom(slowResolution, now, () => {
  if (mayGo(1)) slowProber.tick();
  return 1;
});
