import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { ThreadInfo } from '../../host/pool-threads.js';
import { serveJob } from '../../lab/child/serve.js';
import { watchLoopDelay } from '../../lab/loop-delay.js';
import { median, quantile } from '../../stats/quantile.js';
import { BadModule } from '../../workloads/module.js';
import { prepareWorkload } from '../../workloads/prepare.js';
import type { ReadyWorkload } from '../../workloads/workload.js';
import type { Answer, Job, Measurement, Order, Phase } from '../messages.js';
import { fixedPool, type Pool, resizablePool } from './pool.js';

const ALONE_SAMPLES = 5;

/** Measure one workload, a round for each order. Nothing here may use the pool that is being measured. */
export const serve = (before: ThreadInfo[], after: ThreadInfo[]): void => serveJob(before, after, work);

async function work(job: Job, observedThreads: number | null): Promise<void> {
  let phase: Phase = 'load';
  const fail = (error: unknown): void => answer(failure(error, phase));
  process.once('uncaughtException', fail);
  // With the channel unreferenced, a promise that nothing can settle ends in an empty event loop, not in a hang.
  process.once('beforeExit', () => answer({ type: 'never-settles' }));
  process.channel?.unref();
  try {
    const pool = await (job.resizes
      ? resizablePool(observedThreads, mayLookUp(job))
      : fixedPool(observedThreads));
    const context = { size: job.size, directory: job.directory, names: job.names };
    const workload = await prepareWorkload(job.spec, context);
    phase = 'run';
    const unloadedLatencyMs = await warmUp(workload, job);
    settle(job);
    const { operations, isolated } = workload;
    process.on('message', (order: Order) => void obey(order, workload, pool, context).catch(fail));
    answer({ type: 'ready', operations, unloadedLatencyMs, isolated, fixed: pool.fixed });
  } catch (error) {
    fail(error);
  }
}

const mayLookUp = ({ spec }: Job): boolean =>
  spec.kind === 'module' || spec.name === 'dns' || spec.name === 'mixed';

async function obey(
  order: Order,
  workload: ReadyWorkload,
  pool: Pool,
  context: { size: number; readonly directory: string },
): Promise<void> {
  if (order.do === 'close') {
    process.channel?.unref();
    await workload.close();
    return answer({ type: 'closed' });
  }
  if (order.size !== context.size) await pool.resize(order.size);
  context.size = order.size;
  process.channel?.unref();
  const measurement = await round(workload, order.repetitions);
  settle(context);
  answer({ type: 'round', measurement: { observedThreads: pool.observed, ...measurement } });
}

async function round(
  workload: ReadyWorkload,
  repetitions: number,
): Promise<Omit<Measurement, 'observedThreads'>> {
  const { operations } = workload;
  const latencies: number[] = [];
  const record = (ms: number): number => latencies.push(ms);
  const delay = watchLoopDelay();
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  for (let repetition = 0; repetition < repetitions; repetition++) await workload.round(operations, record);
  const elapsedMs = performance.now() - started;
  const cpu = process.cpuUsage(cpuBefore);
  return {
    workMs: elapsedMs / repetitions,
    opsPerSecond: (operations * repetitions * 1000) / elapsedMs,
    latencyMs: { p50: median(latencies), p99: quantile(latencies, 0.99) },
    cpuSeconds: secondsOf(cpu),
    totalCpuSeconds: secondsOf(process.cpuUsage()),
    maxRssBytes: process.resourceUsage().maxRSS * 1024,
    eventLoopDelayMs: delay.stop(),
  };
}

const secondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

/**
 * Leave nothing for the next process to pay: what the round has changed in its directory goes to the disk now. Files that were
 * deleted again have no dirty pages any more, so this writes little more than the journal. On this thread: the pool stays unused.
 */
function settle({ directory }: Pick<Job, 'directory'>): void {
  try {
    const descriptor = openSync(directory, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Windows opens no directories; a workload may have removed its own.
  }
}

/**
 * Touch everything once before it is timed: a few operations alone, then as many at once as the pool has threads
 * (at least a tenth of a round). A module always does its whole round.
 */
async function warmUp(workload: ReadyWorkload, job: Job): Promise<number> {
  if (job.spec.kind === 'module') {
    let ms = 0;
    await workload.round(workload.operations, (value) => {
      ms = value;
    });
    return ms;
  }
  const unloadedMs: number[] = [];
  for (let sample = 0; sample < ALONE_SAMPLES; sample++) {
    const started = performance.now();
    await workload.round(1, () => {});
    unloadedMs.push(performance.now() - started);
  }
  const { operations } = workload;
  await workload.round(Math.min(operations, Math.max(job.size, Math.ceil(operations / 10))), () => {});
  return median(unloadedMs);
}

function failure(error: unknown, phase: Phase): Answer {
  if (error instanceof BadModule) return { type: 'bad-module', message: error.message };
  if (!(error instanceof Error))
    return { type: 'failed', phase, name: 'Error', message: String(error), code: null };
  const { name, message, code = null } = error as NodeJS.ErrnoException;
  return { type: 'failed', phase, name, message, code };
}

/** Answers are the end of an order: until the next one comes, only the channel keeps this process alive. */
function answer(message: Answer): void {
  process.channel?.ref();
  process.send?.(message);
}
