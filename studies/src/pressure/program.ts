// Puts a pool under low pressure (bursts with idle moments between) or under a steady load of tasks that do not wait for it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@plimsoll/pool';
import { type AnyPool, openPool } from '../common/pools.js';
import type { Opened, Yield } from '../common/study.js';

const WORKER = new URL('./worker.js', import.meta.url);

export async function open(contender: string, parameters: Readonly<Record<string, number>>): Promise<Opened> {
  const [library = '', setting = ''] = contender.split('-');
  return 'bursts' in parameters
    ? openBursts(library, setting, parameters)
    : { round: () => roundOfLoad(library, setting, parameters) };
}

/** How a pool is kept from stopping workers that it will need again. */
const SETTINGS: Readonly<Record<string, (threads: number) => object>> = {
  asitcomes: () => ({ minThreads: 1 }),
  minthreads: (threads) => ({ minThreads: threads }),
  idletimeout: () => ({ minThreads: 1, idleTimeout: 1000 }),
};

/** Bursts of as many tasks as there may be workers, and a pause after each. */
async function openBursts(
  library: string,
  setting: string,
  { bursts = 8, threads = 4, taskMs = 5, pauseMs = 60 }: Readonly<Record<string, number>>,
): Promise<Opened> {
  const pool = openPool(library, WORKER, { maxThreads: threads, ...SETTINGS[setting]?.(threads) });
  let started = 0;
  pool.on('workerCreate', () => started++);
  const burst = (): Promise<unknown> => Promise.all(Array.from({ length: threads }, () => pool.run(taskMs)));

  const round = async (): Promise<Yield> => {
    // What idled until its turn is not what is compared: `idleTimeout` is longer than the pauses, not than that.
    await burst();
    await sleep(pauseMs);
    started = 0;
    const { completed } = pool;
    const cpu = process.cpuUsage();
    const latencies: number[] = [];
    for (let done = 0; done < bursts; done++) {
      const submitted = performance.now();
      await burst();
      latencies.push(performance.now() - submitted);
      await sleep(pauseMs);
    }
    const { user, system } = process.cpuUsage(cpu);
    return {
      metrics: {
        workers: started / bursts,
        mean: latencies.reduce((sum, latency) => sum + latency, 0) / bursts,
        max: Math.max(...latencies),
        cpu: (user + system) / 1000 / bursts,
        pressure: pressureOf(library, pool, {
          submitted: bursts * threads,
          completed: pool.completed - completed,
        }),
      },
    };
  };
  await round();
  return { round };
}

/** Tasks at regular moments, so many per cent of what the one worker can do, for so long. */
async function roundOfLoad(
  library: string,
  percent: string,
  { taskMs = 2, ms = 1000 }: Readonly<Record<string, number>>,
): Promise<Yield> {
  // A pool of its own for each round: what was left of the round before would be in its pressure, of the last five seconds.
  const pool = openPool(library, WORKER, { minThreads: 1, maxThreads: 1 });
  await pool.run(taskMs);
  pool.histogram.resetWaitTime();
  const everyMs = (taskMs * 100) / Number(percent);
  const started = performance.now();
  let submitted = 0;
  let failure: unknown;
  // What still waits at the end is refused when the pool is destroyed, after this has been looked at.
  const failed = (error: unknown): unknown => (failure ??= error);
  for (let now = started; now < started + ms; now = performance.now()) {
    for (; started + submitted * everyMs <= now; submitted++) pool.run(taskMs).catch(failed);
    await sleep(1);
  }
  const { mean, max } = pool.histogram.waitTime;
  const metrics = {
    pressure: pressureOf(library, pool, { submitted: submitted + 1, completed: pool.completed }),
    queue: pool.queueSize,
    waitMean: mean,
    waitMax: max,
    // Piscina's own `utilization` is in another unit.
    utilization: (pool.completed * taskMs * 100) / (performance.now() - started),
  };
  if (failure !== undefined) throw failure;
  await pool.destroy();
  return { metrics };
}

/** Piscina has no such figure; in rounds that are shorter than our window it is this. */
function pressureOf(
  library: string,
  pool: AnyPool,
  { submitted, completed }: { submitted: number; completed: number },
): number {
  return library === 'plimsoll' ? (pool as unknown as Pool).stats.pressure : submitted / completed;
}
