// MINIMAL: the one place where advise meets what records and reads traces. It is to be replaced by a few lines over
// trace/record.ts and trace/trace-file.ts, together with interim-recorder.cts. It reads a JSON document that is a Trace, and
// records commands that are one Node process and end by themselves.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import type { Guardian } from '../experiment/guardian.js';
import { type PoolEvent, type PoolJob, poolJobs } from '../experiment/pool-jobs.js';
import { killGroup, lastWords, startGroup } from '../experiment/process-group.js';
import { captureEnvironment } from '../host/environment.js';
import type { Trace, TracedJob, TracedProcess, UsageInterval } from '../results/trace.js';
import { createRandom } from '../stats/random.js';

export interface RecordingOptions {
  /** UV_THREADPOOL_SIZE of the command; by default as it is. */
  readonly size?: number;
  /** The command is ended after so many milliseconds; by default it ends by itself. */
  readonly durationMs?: number;
  /** Where its standard output goes. */
  readonly stdout: 'stdout' | 'stderr' | 'nowhere';
}

const PRELOAD = fileURLToPath(new URL('./interim-recorder.cjs', import.meta.url));
const SAME_TURN_MS = 0.5;

/**
 * Read the trace in a file.
 *
 * @throws {PlimsollError} PLIMSOLL_BAD_TRACE when there is none in it.
 */
export function openTrace(file: string): Trace {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Trace;
    if (Array.isArray(value.processes) && value.environment !== undefined) return value;
  } catch (error) {
    throw new PlimsollError('PLIMSOLL_BAD_TRACE', `${file}: cannot be read as a trace`, { cause: error });
  }
  throw new PlimsollError('PLIMSOLL_BAD_TRACE', `${file}: is no trace`);
}

/**
 * Run a command and record what its pool does.
 *
 * @throws {PlimsollError} when it cannot be started, fails, or leaves nothing; a DOMException when `signal` aborts.
 */
export async function recordCommand(
  command: readonly string[],
  options: RecordingOptions,
  guardian: Guardian,
  signal: AbortSignal,
): Promise<Trace> {
  const directory = guardian.temporaryDirectory();
  const file = join(directory, 'recorded.json');
  const startedAt = new Date().toISOString();
  const environment = captureEnvironment({ directory: process.cwd() });
  try {
    await run(command, file, options, guardian, signal);
    if (!existsSync(file)) throw failed(command, 'nothing of it could be recorded: is it a Node program?');
    const process = reduce(JSON.parse(readFileSync(file, 'utf8')) as Recorded, options.size ?? 4);
    return { environment, command, startedAt, durationMs: process.endMs, processes: [process], notes: [] };
  } finally {
    guardian.remove(directory);
  }
}

const failed = (command: readonly string[], why: string): PlimsollError =>
  new PlimsollError('PLIMSOLL_TARGET_FAILED', `${JSON.stringify(command[0])}: ${why}`);

async function run(
  command: readonly string[],
  file: string,
  { size, stdout }: RecordingOptions,
  guardian: Guardian,
  signal: AbortSignal,
): Promise<void> {
  const [executable, ...args] = command;
  if (executable === undefined)
    throw new PlimsollError('PLIMSOLL_USAGE', 'what should be run? give a command after --');
  const env = {
    PLIMSOLL_INTERIM: file,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(PRELOAD)}`.trim(),
    ...(size === undefined ? {} : { UV_THREADPOOL_SIZE: String(size) }),
  };
  const out = stdout === 'nowhere' ? 'ignore' : stdout === 'stderr' ? 2 : 1;
  const child = await startGroup([executable, ...args], env, ['ignore', out, 'pipe'], createRandom(1)).catch(
    (error) => {
      const { code, message } = error as NodeJS.ErrnoException;
      throw failed(command, code === 'ENOENT' ? 'there is no such command' : message);
    },
  );
  guardian.watch(child.pid);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-8192);
  });
  const end = (): void => void killGroup(child);
  signal.addEventListener('abort', end);
  const [code, killed] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (...how) => resolve(how)),
  );
  signal.removeEventListener('abort', end);
  guardian.forget(child.pid);
  signal.throwIfAborted();
  if (code !== 0) throw failed(command, `it ended with ${killed ?? `exit code ${code}`}${lastWords(stderr)}`);
}

interface Recorded {
  readonly events: PoolEvent[];
  readonly samples: readonly { readonly us: number; readonly threads: Record<string, [number, number]> }[];
  readonly names: Record<string, string>;
  readonly startUs: number;
  readonly endUs: number;
  readonly pid: number;
  readonly ppid: number;
  readonly node: string;
}

function reduce(recorded: Recorded, size: number): TracedProcess {
  const ms = (us: number): number => (us - recorded.startUs) / 1000;
  const jobs = poolJobs(
    recorded.events.sort((a, b) => a.ts - b.ts),
    size,
  )
    .filter(({ kind }) => kind !== 'kernel')
    .map((job) => tracedJob(job, recorded.pid, ms));
  return {
    pid: recorded.pid,
    ppid: recorded.ppid,
    node: recorded.node,
    script: null,
    observedThreads: null,
    size,
    startMs: 0,
    endMs: ms(recorded.endUs),
    jobs: withParents(jobs),
    usage: usageOf(recorded, new Set(jobs.map(({ thread }) => String(thread))), ms),
  };
}

const tracedJob = (job: PoolJob, loop: number, ms: (us: number) => number): TracedJob => ({
  kind: job.kind === 'work' ? job.name : `${job.kind}.${job.name}`,
  slow: job.kind === 'dns',
  loop,
  submitMs: ms(job.submitted),
  startMs: ms(job.started ?? job.submitted),
  endMs: ms(job.ended ?? job.returned),
  callbackMs: ms(job.returned),
  cpuMs: job.cpu === null ? null : job.cpu / 1000,
  thread: job.tid,
  inferred: job.inferred,
  waited: job.waited,
  parent: null,
});

function withParents(jobs: readonly TracedJob[]): TracedJob[] {
  const returned = jobs.map((_, index) => index).sort((a, b) => callback(jobs, a) - callback(jobs, b));
  let next = 0;
  return jobs.map((job) => {
    while (next < returned.length && callback(jobs, returned[next] as number) <= job.submitMs) next++;
    const last = returned[next - 1];
    const isNear = last !== undefined && job.submitMs - callback(jobs, last) < SAME_TURN_MS;
    return isNear ? { ...job, parent: last } : job;
  });
}

const callback = (jobs: readonly TracedJob[], index: number): number => (jobs[index] as TracedJob).callbackMs;

function usageOf(
  { samples, names, pid }: Recorded,
  ran: Set<string>,
  ms: (us: number) => number,
): UsageInterval[] {
  return samples.slice(1).map((sample, index): UsageInterval => {
    const before = samples[index] as Recorded['samples'][number];
    const used = { loop: [0, 0], pool: [0, 0], other: [0, 0] };
    for (const [tid, [cpu, waited]] of Object.entries(sample.threads)) {
      const isPool = ran.has(tid) || names[tid] === 'libuv-worker';
      const part = used[tid === String(pid) ? 'loop' : isPool ? 'pool' : 'other'];
      const [cpuBefore, waitedBefore] = before.threads[tid] ?? [0, 0];
      part[0] = (part[0] as number) + cpu - cpuBefore;
      part[1] = (part[1] as number) + waited - waitedBefore;
    }
    const usage = ([cpuMs = 0, waitedMs = 0]: number[]) => ({ cpuMs, waitedMs });
    return {
      fromMs: ms(before.us),
      toMs: ms(sample.us),
      loop: usage(used.loop),
      pool: usage(used.pool),
      other: usage(used.other),
    };
  });
}
