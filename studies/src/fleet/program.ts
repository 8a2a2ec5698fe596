// Runs tasks on a fleet with so many worker processes (`fleet-2`), on BullMQ by hand (`bullmq-2`), or on a thread of this process
// (`embedded`). A Redis and the workers of its own.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTasks } from '@plimsoll/bullmq';
import { quantile } from '@plimsoll/lab';
// @ts-expect-error a script without declarations
import { startRedis } from '../../../scripts/redis.mjs';
import type { Opened, Yield } from '../common/study.js';
import { openByHand } from './by-hand.js';
import { type Cpu, cpuOf, type Place } from './cpu.js';
import { KEEP } from './keep.js';

type Run = (task: unknown) => Promise<unknown>;

const QUEUE = 'study';
const MODULE = new URL('./tasks.js', import.meta.url);
const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
/** Until there are as many tasks in every stage as there will be. */
const FILL_MS = 100;

interface Site extends Place {
  readonly run: Run;
}

async function openSite(contender: string, isWaiting: boolean): Promise<Site> {
  const [kind = '', count = '0'] = contender.split('-');
  const name = isWaiting ? 'wait' : 'echo';
  if (kind === 'embedded') {
    const tasks = createTasks({ filename: MODULE, minThreads: 1, maxThreads: 1 });
    await tasks.ready();
    return { url: null, workers: [], run: (task) => tasks.run(task, { name }) };
  }
  const { url } = (await startRedis()) as { url: string };
  const workers = await Promise.all(Array.from({ length: Number(count) }, () => openWorker(kind, url)));
  if (kind === 'bullmq') return { url, workers, run: await openByHand(QUEUE, url) };
  const fleet = createTasks({ filename: MODULE, fleet: { queue: QUEUE, connection: url, name, keep: KEEP } });
  await fleet.ready();
  return { url, workers, run: (task) => fleet.run(task) };
}

async function openWorker(kind: string, url: string): Promise<ChildProcess> {
  const worker = fork(WORKER, [kind, QUEUE, url], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exit = once(worker, 'exit').then(([code]) => {
    throw new Error(`a worker process ended with ${code} before it was ready`);
  });
  await Promise.race([once(worker, 'message'), exit]);
  exit.catch(() => {});
  return worker;
}

/** So many tasks are always under way. What a window of time sees of them, and of the CPU time that they take. */
async function capacity(run: () => Promise<unknown>, inFlight: number, ms: number, cpu: Cpu) {
  let done = 0;
  let isOver = false;
  const client = async (): Promise<void> => {
    while (!isOver) {
      await run();
      done++;
    }
  };
  const clients = Promise.all(Array.from({ length: inFlight }, client));
  await sleep(FILL_MS);
  const [before, first, started] = [await cpu(), done, performance.now()];
  // A machine that stops for all of a window leaves nothing to divide by.
  do await sleep(ms);
  while (done === first);
  const [after, tasks, seconds] = [await cpu(), done - first, (performance.now() - started) / 1000];
  isOver = true;
  await clients;
  const micro = (from: number, to: number): number => ((to - from) * 1e6) / tasks;
  return {
    rate: tasks / seconds,
    redis: micro(before.redis, after.redis),
    host: micro(before.host, after.host),
    workers: micro(before.workers, after.workers),
  };
}

/** One task at a time, in microseconds. */
async function latency(run: () => Promise<unknown>, tasks: number) {
  const times: number[] = [];
  for (let task = 0; task < tasks; task++) {
    const started = performance.now();
    await run();
    times.push((performance.now() - started) * 1000);
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** `length` of the task in bytes, 0: a number; `waitMs`: how long it waits instead. In a window of time, or `tasks` one at a time. */
export async function open(
  contender: string,
  {
    length = 0,
    waitMs = 0,
    inFlight = 1,
    windowMs = 0,
    tasks = 0,
    warmUp = 0,
  }: Readonly<Record<string, number>>,
): Promise<Opened> {
  const site = await openSite(contender, waitMs > 0);
  const cpu = cpuOf(site);
  const task = length > 0 ? new Uint8Array(length).fill(7) : waitMs;
  const run = async (): Promise<void> => check(await site.run(task), length);
  const most = warmUp * Math.max(1, site.workers.length);
  for (let done = 0; done < most; done += inFlight) await Promise.all(Array.from({ length: inFlight }, run));
  return {
    round: async (): Promise<Yield> => {
      const metrics = windowMs > 0 ? await capacity(run, inFlight, windowMs, cpu) : await latency(run, tasks);
      const { redis, workers } = await cpu();
      return { metrics, helperCpuSeconds: redis + workers };
    },
  };
}

function check(result: unknown, length: number): void {
  if (length > 0 && (result as Uint8Array).length !== length)
    throw new Error('what came back is not what was sent');
}
