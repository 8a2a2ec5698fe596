import { rmSync } from 'node:fs';
import { poolThreadsBetween, type ThreadInfo } from '../../host/pool-threads.js';
import { median, quantile } from '../../stats/quantile.js';
import { isSteady } from '../../stats/steady.js';
import { BadModule } from '../../workloads/module.js';
import { prepareWorkload, type ReadyWorkload } from '../../workloads/prepare.js';
import { watchLoopDelay } from '../loop-delay.js';
import type { Answer, Job, Measurement, Phase } from '../messages.js';

const ALONE_SAMPLES = 5;

/**
 * Measure one job, then end. The process answers over IPC and takes no part in the parent's affairs otherwise.
 * Nothing here may use the pool that is being measured.
 */
export function serve(before: ThreadInfo[], after: ThreadInfo[]): void {
  process.once('message', (job: Job) => void work(job, poolThreadsBetween(before, after)));
  // The parent is gone: nobody wants the answer. Not process.exit(), which waits for the queue of the pool.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  answer({ type: 'started' });
}

async function work(job: Job, observedThreads: number | null): Promise<void> {
  process.chdir(job.cwd);
  if (observedThreads !== null && observedThreads !== job.size)
    return finish({ type: 'refused', observedThreads }, job);

  let phase: Phase = 'load';
  const fail = (error: unknown): void => finish(failure(error, phase), job);
  process.once('uncaughtException', fail);
  // With the channel unreferenced, a promise that nothing can settle ends in an empty event loop, not in a hang.
  process.channel?.unref();
  process.once('beforeExit', () => finish({ type: 'never-settles' }, job));
  try {
    const context = { size: job.size, directory: job.directory, names: job.names };
    const workload = await prepareWorkload(job.spec, context);
    phase = 'run';
    const measurement = await measure(workload, job, observedThreads);
    await workload.close();
    finish({ type: 'measured', measurement }, job);
  } catch (error) {
    fail(error);
  }
}

async function measure(
  workload: ReadyWorkload,
  job: Job,
  observedThreads: number | null,
): Promise<Measurement> {
  const { operations } = workload;
  const unloadedLatencyMs = await warmUp(workload, job);

  const latencies: number[] = [];
  const record = (ms: number): number => latencies.push(ms);
  const rounds: number[] = [];
  const delay = watchLoopDelay();
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  for (let round = 0; round < job.rounds; round++) {
    const roundStarted = performance.now();
    await workload.round(operations, record);
    rounds.push(performance.now() - roundStarted);
  }
  const elapsedMs = performance.now() - started;
  const cpu = process.cpuUsage(cpuBefore);
  const eventLoopDelayMs = delay.stop();

  return {
    observedThreads,
    operations,
    rounds: job.rounds,
    roundMs: elapsedMs / job.rounds,
    opsPerSecond: (operations * job.rounds * 1000) / elapsedMs,
    latencyMs: { p50: median(latencies), p99: quantile(latencies, 0.99) },
    cpuSeconds: seconds(cpu),
    totalCpuSeconds: seconds(process.cpuUsage()),
    maxRssBytes: process.resourceUsage().maxRSS * 1024,
    eventLoopDelayMs,
    unloadedLatencyMs,
    steady: isSteady(rounds),
  };
}

const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

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
  const alone: number[] = [];
  for (let sample = 0; sample < ALONE_SAMPLES; sample++) {
    const started = performance.now();
    await workload.round(1, () => {});
    alone.push(performance.now() - started);
  }
  const { operations } = workload;
  await workload.round(Math.min(operations, Math.max(job.size, Math.ceil(operations / 10))), () => {});
  return median(alone);
}

function failure(error: unknown, phase: Phase): Answer {
  if (error instanceof BadModule) return { type: 'bad-module', message: error.message };
  const { name, message, code } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : ({} as Partial<NodeJS.ErrnoException>);
  return {
    type: 'failed',
    phase,
    name: name ?? 'Error',
    message: message ?? String(error),
    code: code ?? null,
  };
}

let finished = false;

function finish(last: Answer, job: Job): void {
  if (finished) return;
  finished = true;
  answer(last, () => {
    rmSync(job.directory, { recursive: true, force: true });
    process.kill(process.pid, 'SIGKILL');
  });
}

function answer(message: Answer, sent: () => void = () => {}): void {
  process.send?.(message, undefined, {}, sent);
}
