import { readdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from './ledger.mjs';
import { Printed } from './printed.mjs';
import { Random } from './random.mjs';
import { Site } from './site.mjs';

/** Seconds that a pool lives, unless the whole run is shorter. */
const LIFE = { least: 1, most: 20 };

/**
 * Random tasks and faults over one pool after another, for so many seconds; `load`: CPU seconds in a second, at most.
 * `complain` gets a line about everything that is wrong, `onStart` a function that tells how far it is.
 *
 * @returns what happened; `wrong`, `twice`, `pending` and `leftThreads` must be 0
 */
export async function stress({
  seconds,
  seed,
  load = Infinity,
  options = {},
  complain = console.error,
  onStart,
}) {
  const threadsBefore = threadCount();
  const random = new Random(seed);
  const ledger = new Ledger(complain);
  const printed = new Printed();
  const throttle = throttleTo(load);
  const end = performance.now() + seconds * 1000;
  let pools = 0;
  onStart?.(() => ({ ledger, pools, left: end - performance.now() }));
  try {
    while (performance.now() < end && ledger.inFlight === 0) {
      const site = new Site({ random, ledger, printed, throttle, options });
      pools++;
      await site.work(Math.min(end, performance.now() + 1000 * random.between(LIFE.least, LIFE.most)));
      await site.end();
    }
    await sleep(100);
  } finally {
    printed.stop();
  }
  const missing = printed.expected - printed.received;
  if (missing > 0) ledger.fault(`${missing} of ${printed.expected} characters that were printed are missing`);
  const { started, settled, twice, wrong, lost, unstarted, closed, right, inFlight: pending } = ledger;
  const leftThreads = Math.max(0, (await fewestThreads(threadsBefore)) - threadsBefore);
  return { pools, started, settled, lost, unstarted, closed, wrong, twice, pending, leftThreads, right };
}

/** Waits as long as this process, all its threads together, has had more than its share. */
function throttleTo(load) {
  const begin = performance.now();
  const before = process.cpuUsage();
  return async () => {
    if (load === Infinity) return;
    const { user, system } = process.cpuUsage(before);
    const due = (user + system) / 1000 / load - (performance.now() - begin);
    if (due > 1) await sleep(Math.min(due, 1000));
  };
}

/** As the kernel counts them; elsewhere than on Linux always 0. */
const threadCount = () => (process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0);

/** The kernel's list follows the end of a thread with a delay. */
async function fewestThreads(wanted) {
  for (const end = performance.now() + 30_000; threadCount() > wanted && performance.now() < end; )
    await sleep(20);
  return threadCount();
}
