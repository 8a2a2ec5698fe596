import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import { captureEnvironment } from '../host/environment.js';
import { hasEnded, isNodeProcess, processesWithEnvironment } from '../host/processes.js';
import {
  type CommandEnd,
  type Output,
  preloading,
  type RunningCommand,
  startCommand,
} from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import type { Trace } from '../results/trace.js';
import { type ProcessLog, parseProcessLogs } from './process-log.js';
import { reduce } from './reduce.js';

export interface RecordOptions {
  /** The command is ended after so many milliseconds; by default it ends by itself. */
  readonly durationMs?: number | undefined;
  /** UV_THREADPOOL_SIZE of the command; by default as it is. */
  readonly size?: number | null | undefined;
  /** Trace events that each process may record; by default a million. */
  readonly maxEvents?: number | undefined;
  /** Whether the stack and the request of each call are recorded; by default they are not. */
  readonly calls?: boolean | undefined;
  /** Where the command's standard output goes; by default where ours goes. */
  readonly stdout?: Output | undefined;
}

/** What is under way, for a live line. */
export interface RecordProgress {
  readonly elapsedMs: number;
  readonly processes: number;
}

const DEFAULT_MAX_EVENTS = 1_000_000;
const POLL_MS = 100;
/** How long recorders may take to write what they have; one whose event loop is blocked needs longer. */
const FINISH_MS = 4_000;
const PRELOAD = fileURLToPath(new URL('./child/preload.cjs', import.meta.url));

/**
 * Run a command unchanged and record what the thread pool of each of its Node processes does.
 *
 * A recorder is preloaded through NODE_OPTIONS; what was in there stays. When `signal` aborts or the duration is over, the
 * recorders finish first, and then the command is ended (SIGINT or SIGTERM, after some seconds SIGKILL).
 *
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when the command cannot be started; PLIMSOLL_NOT_RECORDED when no Node
 * process of it could be recorded.
 */
export async function record(
  command: readonly string[],
  options: RecordOptions,
  { guardian, signal, onProgress = () => {} }: Supervision<RecordProgress>,
): Promise<Trace> {
  const directory = guardian.temporaryDirectory();
  try {
    const startedAt = new Date();
    const environment = captureEnvironment({ directory: process.cwd() });
    const origin = Number(process.hrtime.bigint() / 1000n);
    const env = variables(directory, options);
    const running = await startCommand(command, env, options.stdout ?? 'stdout', guardian);
    const ending = await attend(running, directory, options, signal, onProgress);
    await running.close();
    const recorded = readRecordings(directory);
    if (recorded.length === 0 && ending !== 'interrupted')
      throw nothingRecorded(command, await running.ended);
    const reduced = recorded.map((recording) => reduce(recording, origin));
    const processes = reduced.map(({ process }) => process);
    processes.sort((a, b) => a.startMs - b.startMs || a.pid - b.pid);
    const failed =
      ending === 'failed' ? [{ id: 'trace.command-failed', detail: running.end()?.text ?? '' }] : [];
    return {
      environment,
      command: basename(command[0] ?? ''),
      startedAt: startedAt.toISOString(),
      durationMs: Math.max(0, ...processes.map(({ endMs }) => endMs)),
      ending,
      processes,
      notes: [...failed, ...reduced.flatMap(({ notes }) => notes)],
    };
  } finally {
    guardian.remove(directory);
  }
}

/** The environment of the command beside ours. */
function variables(
  directory: string,
  { size, maxEvents = DEFAULT_MAX_EVENTS, calls = false }: RecordOptions,
): Record<string, string> {
  const settings = { directory, maxEvents, calls };
  return {
    PLIMSOLL_TRACE: JSON.stringify(settings),
    ...preloading(PRELOAD),
    ...(size == null ? {} : { UV_THREADPOOL_SIZE: String(size) }),
  };
}

/** Wait until the command has ended, with everything of it that is recorded, or must be ended. */
async function attend(
  running: RunningCommand,
  directory: string,
  { durationMs = Number.POSITIVE_INFINITY }: RecordOptions,
  signal: AbortSignal,
  onProgress: (progress: RecordProgress) => void,
): Promise<Trace['ending']> {
  const start = performance.now();
  const elapsed = (): number => performance.now() - start;
  while (!signal.aborted && elapsed() < durationMs) {
    const end = running.end();
    // A command may leave processes behind that go on, as `pm2 start` does. Daemons that are not Node record nothing.
    if (end !== null && recorders(directory).length === 0) return end.code === 0 ? 'ended' : 'failed';
    onProgress({ elapsedMs: elapsed(), processes: recordings(directory).length });
    const ms = Math.max(1, Math.min(POLL_MS, durationMs - elapsed()));
    const pause = sleep(ms, undefined, { signal }).catch(() => {});
    await (end === null ? Promise.race([pause, running.ended]) : pause);
  }
  await finishRecorders(directory);
  await running.stop(signal.aborted ? 'SIGINT' : 'SIGTERM', [directory], isNodeProcess);
  return signal.aborted ? 'interrupted' : 'stopped';
}

/** Node processes of the command that run, wherever they are. */
const recorders = (directory: string): number[] =>
  processesWithEnvironment([directory]).filter((pid) => isNodeProcess(pid));

/** Tell the recorders to write what they have, and wait until those that still can have done so. */
async function finishRecorders(directory: string): Promise<void> {
  writeFileSync(join(directory, 'finish'), '');
  const until = performance.now() + FINISH_MS;
  const waiting = (): string[] =>
    recordings(directory).filter((name) => {
      const pid = Number.parseInt(name, 10);
      return !existsSync(join(directory, `${name}.end`)) && existsSync(`/proc/${pid}`) && !hasEnded(pid);
    });
  while (performance.now() < until && waiting().length > 0) await sleep(20);
}

const recordings = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith('.jsonl'));

const readRecordings = (directory: string): ProcessLog[] =>
  recordings(directory).flatMap((name) => parseProcessLogs(readFileSync(join(directory, name), 'utf8')));

function nothingRecorded(command: readonly string[], end: CommandEnd): PlimsollError {
  const permission = [...command, process.env.NODE_OPTIONS ?? ''].some((word) =>
    /--(experimental-)?permission\b/.test(word),
  );
  const why = permission
    ? 'with --permission Node refuses the recorder what it needs; add --allow-worker, and --allow-fs-read and --allow-fs-write for the directory of plimsoll and the temporary one (and from Node 26 on --allow-inspector; before, its pool cannot be traced), or trace without --permission'
    : 'is it no Node program, or does something in it set NODE_OPTIONS anew?';
  return new PlimsollError(
    'PLIMSOLL_NOT_RECORDED',
    `no Node process of the command could be recorded (it ended with ${end.text}): ${why}`,
  );
}
