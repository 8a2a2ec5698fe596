import { fileURLToPath } from 'node:url';
import { PlimsollError } from '@plimsoll/lab';
import type { OperationSpec } from '../operation-spec.js';
import type { ServerJob, WorkerMeasurement } from '../server/messages.js';
import { Control, WorkerLost } from './control.js';
import { type LaunchContext, type Launched, launch } from './launch.js';
import { launchUnderPm2 } from './pm2.js';
import type { Target, TargetMeasurement } from './target.js';
import { within } from './wait.js';

export const modes = ['node', 'cluster', 'pm2-fork', 'pm2-cluster'] as const;
export type Mode = (typeof modes)[number];

export interface SampleServer {
  readonly mode: Mode;
  /** Workers; 1 unless the mode is one of the cluster modes. */
  readonly instances: number;
  readonly size: number;
  readonly operation: OperationSpec;
  readonly operationsPerRequest: number;
  /** 0 for a free one. */
  readonly port: number;
  /** Ask for answers when the operations are done, not at once. */
  readonly wait: boolean;
  /** After so long without being ready it counts as hung, in milliseconds; at most a minute. */
  readonly readyMs: number;
}

const MAIN = fileURLToPath(new URL('../server/main.cjs', import.meta.url));
const PRIMARY = fileURLToPath(new URL('../server/primary.js', import.meta.url));
const READY_MS = 60_000;

/** The sample server, running. */
export interface SampleTarget extends Target {
  readonly workers: readonly { readonly pid: number; readonly observedThreads: number | null }[];
  /** Wait for the operations under way and say what each worker that is alive measured since `begin`, or the last time. */
  collect(): Promise<WorkerMeasurement[]>;
}

/**
 * Start the sample server and wait until every worker of it is ready and has the pool that was asked for.
 *
 * @throws {PlimsollError} when it cannot be had; nothing of it is left then.
 */
export async function startSampleServer(server: SampleServer, context: LaunchContext): Promise<SampleTarget> {
  const { guardian } = context;
  const directory = guardian.temporaryDirectory();
  const pids: number[] = [];
  let control: Control | null = null;
  let launched: Pick<Launched, 'stop'> & Partial<Launched> = { stop: async () => false };
  const close = async (): Promise<null> => {
    // Workers of PM2 are in groups that only their own end tells us of; the others are in ours.
    await launched.stop(0);
    await control?.close();
    for (const pid of pids) guardian.forget(pid);
    guardian.remove(directory);
    return null;
  };
  try {
    control = await Control.open(directory, (pid) => {
      pids.push(pid);
      guardian.watch(pid);
    });
    launched = await start(server, job(server, control.path, directory), directory, pids, context);
    await untilReady(control, server, launched.ended, context.signal);
  } catch (error) {
    await close();
    throw error;
  }
  return target(server, control, close);
}

const job = (
  { operation, operationsPerRequest, port, size }: SampleServer,
  control: string,
  directory: string,
): ServerJob => ({ control, operation, operationsPerRequest, port, size, directory });

function start(
  { mode, instances, size }: SampleServer,
  server: ServerJob,
  directory: string,
  pids: readonly number[],
  context: LaunchContext,
): Promise<Pick<Launched, 'stop'> & Partial<Launched>> {
  const env = { UV_THREADPOOL_SIZE: String(size), PLIMSOLL_SERVER: JSON.stringify(server) };
  switch (mode) {
    case 'node':
      return launch([process.execPath, MAIN], env, context);
    case 'cluster':
      return launch([process.execPath, PRIMARY, String(instances)], env, context);
    case 'pm2-fork':
    case 'pm2-cluster': {
      const app = { script: MAIN, mode: mode === 'pm2-fork' ? 'fork' : 'cluster', instances, env } as const;
      return launchUnderPm2(app, directory, () => pids, context);
    }
  }
}

async function untilReady(
  control: Control,
  { size, mode, instances, port, readyMs }: SampleServer,
  ended: Promise<string> = new Promise(() => {}),
  signal: AbortSignal,
): Promise<void> {
  const death = ended.then((how) => {
    throw new PlimsollError('PLIMSOLL_TARGET_FAILED', `the sample server ended before it was ready (${how})`);
  });
  const waitMs = Math.min(READY_MS, readyMs);
  try {
    if ((await within(waitMs, signal, control.ready(instances), death)) === 'timeout')
      throw new PlimsollError(
        'PLIMSOLL_TARGET_HUNG',
        `the sample server (${mode}, size ${size}) was not ready within ${waitMs / 1000} s: ` +
          `${control.workers.filter(({ ready }) => ready !== null).length} of ${instances} workers were`,
      );
  } catch (error) {
    throw error instanceof WorkerLost ? lost(error, size, port) : error;
  }
  for (const { ready } of control.workers)
    if (ready !== null && ready.observedThreads !== null && ready.observedThreads !== size)
      throw new PlimsollError(
        'PLIMSOLL_POOL_SIZE_MISMATCH',
        `the sample server (${mode}) had ${ready.observedThreads} pool threads instead of ${size}; ` +
          'something that it loads (NODE_OPTIONS?) sets UV_THREADPOOL_SIZE or uses the pool first',
      );
}

function lost({ worker: { failure } }: WorkerLost, size: number, port: number): PlimsollError {
  if (failure === null)
    return new PlimsollError(
      'PLIMSOLL_POOL_NOT_CREATED',
      `a worker of the sample server died while its pool of ${size} threads was created: a limit on processes or ` +
        'memory is reached (pids.max, ulimit -u); ask for smaller sizes or raise the limit',
    );
  if (failure.code === 'EADDRINUSE')
    return new PlimsollError(
      'PLIMSOLL_PORT_IN_USE',
      `port ${port} is in use; choose another one (--port), or 0 for a free one`,
    );
  if (failure.code === 'EACCES' && port > 0 && port < 1024)
    return new PlimsollError(
      'PLIMSOLL_PORT_IN_USE',
      `port ${port} needs rights that this user does not have; choose one from 1024 up (--port)`,
    );
  return new PlimsollError(
    'PLIMSOLL_WORKLOAD_FAILED',
    `the sample server cannot do its operation: ${failure.message}`,
  );
}

function target(server: SampleServer, control: Control, close: () => Promise<null>): SampleTarget {
  const { workers } = control;
  const base = `http://127.0.0.1:${workers[0]?.ready?.port}`;
  const observedThreads = workers.map(({ ready }) => ready?.observedThreads ?? null);
  const collect = async (): Promise<WorkerMeasurement[]> =>
    (await Promise.all(workers.map((worker) => worker.finish()))).filter((answer) => answer !== null);
  return {
    url: new URL(server.wait ? '/test?wait=1' : '/test', base),
    bystander: new URL('/ping', base),
    died: Promise.race(workers.map(({ ended }) => ended)),
    workers: workers.map(({ pid, ready }) => ({
      pid: pid ?? 0,
      observedThreads: ready?.observedThreads ?? null,
    })),
    begin() {
      for (const worker of workers) worker.begin();
    },
    collect,
    async finish() {
      const answers = await collect();
      for (const worker of workers) worker.rest();
      if (answers.length === 0)
        throw new PlimsollError(
          'PLIMSOLL_TARGET_DIED',
          `the sample server died under the load at size ${server.size}${because(control)}`,
        );
      return { ...together(answers), died: workers.length - answers.length, observedThreads, problems: [] };
    },
    close,
  };
}

const because = ({ workers }: Control): string => {
  const failure = workers.find((worker) => worker.failure !== null)?.failure;
  return failure == null ? '' : `: ${failure.message}`;
};

/** The measurements of all workers as one: latencies pooled, CPU and memory added, the latest event loop. */
function together(
  answers: readonly WorkerMeasurement[],
): Omit<TargetMeasurement, 'died' | 'observedThreads' | 'problems'> {
  const sum = (pick: (answer: WorkerMeasurement) => number): number =>
    answers.reduce((total, answer) => total + pick(answer), 0);
  const latest = answers.reduce((a, b) => (b.eventLoopDelayMs.p99 > a.eventLoopDelayMs.p99 ? b : a));
  return {
    operationsMs: answers.flatMap(({ latenciesMs }) => latenciesMs),
    operationFailures: sum(({ failures }) => failures),
    firstFailure: answers.find(({ firstFailure }) => firstFailure !== null)?.firstFailure ?? null,
    endedAt: answers.flatMap(({ endedAt }) => endedAt),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    maxRssBytes: sum(({ maxRssBytes }) => maxRssBytes),
    eventLoopDelayMs: latest.eventLoopDelayMs,
  };
}
