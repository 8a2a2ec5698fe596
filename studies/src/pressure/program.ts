// Puts a pool under low pressure (bursts with idle moments between) or under a steady load of tasks that do not wait for it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@plimsoll/pool';
import { type AnyPool, openPool } from '../common/pools.js';
import type { Run } from '../common/study.js';

const WORKER = new URL('./worker.js', import.meta.url);

export function run(contender: string, parameters: Readonly<Record<string, number>>): Promise<Run> {
  const [library = '', setting = ''] = contender.split('-');
  return 'bursts' in parameters
    ? runBursts(library, setting, parameters)
    : runLoad(library, setting, parameters);
}

/** How a pool is kept from stopping workers that it will need again. */
const SETTINGS: Readonly<Record<string, (threads: number) => object>> = {
  asitcomes: () => ({ minThreads: 1 }),
  minthreads: (threads) => ({ minThreads: threads }),
  idletimeout: () => ({ minThreads: 1, idleTimeout: 1000 }),
};

/** Bursts of as many tasks as there may be workers, and a pause after each. */
async function runBursts(
  library: string,
  setting: string,
  { bursts = 40, threads = 4, taskMs = 5, pauseMs = 60 }: Readonly<Record<string, number>>,
): Promise<Run> {
  const pool = openPool(library, WORKER, { maxThreads: threads, ...SETTINGS[setting]?.(threads) });
  let started = 0;
  pool.on('workerCreate', () => started++);
  const burst = (): Promise<unknown> => Promise.all(Array.from({ length: threads }, () => pool.run(taskMs)));
  await burst();
  await sleep(pauseMs);

  started = 0;
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
      pressure: pressureOf(library, pool, (bursts + 1) * threads),
    },
  };
}

/** Tasks at regular moments, so many per cent of what the one worker can do, for so long. */
async function runLoad(
  library: string,
  percent: string,
  { taskMs = 2, ms = 4000 }: Readonly<Record<string, number>>,
): Promise<Run> {
  const pool = openPool(library, WORKER, { minThreads: 1, maxThreads: 1 });
  await pool.run(taskMs);
  pool.histogram.resetWaitTime();
  const everyMs = (taskMs * 100) / Number(percent);
  const started = performance.now();
  let submitted = 0;
  for (let now = started; now < started + ms; now = performance.now()) {
    for (; started + submitted * everyMs <= now; submitted++) void pool.run(taskMs);
    await sleep(1);
  }
  const { mean, max } = pool.histogram.waitTime;
  return {
    metrics: {
      pressure: pressureOf(library, pool, submitted + 1),
      queue: pool.queueSize,
      waitMean: mean,
      waitMax: max,
      // Piscina's own `utilization` is in another unit.
      utilization: (pool.completed * taskMs * 100) / (performance.now() - started),
    },
  };
}

/** Piscina has no such figure; in runs that are shorter than our window it is this. */
function pressureOf(library: string, pool: AnyPool, submitted: number): number {
  if (library === 'plimsoll') return (pool as unknown as Pool).stats.pressure;
  return submitted / pool.completed;
}
