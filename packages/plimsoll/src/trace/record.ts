import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import { captureEnvironment } from '../host/environment.js';
import { isGone, isNodeProcess, processesWithEnvironment } from '../host/processes.js';
import type { CommandEnd, Output, RunningCommand } from '../lab/command.js';
import { preloading, startCommand } from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import { until } from '../lab/until.js';
import type { Trace } from '../results/trace.js';
import { parseProcessLogs } from './process-log.js';
import { reduce } from './reduce.js';

interface RecordOptions {
  readonly durationMs?: number | undefined;
  readonly size?: number | null | undefined;
  readonly maxEvents?: number | undefined;
  readonly calls?: boolean | undefined;
  readonly stdout?: Output | undefined;
}

/** What is under way, for a live line. */
export interface RecordProgress {
  readonly elapsedMs: number;
  readonly processes: number;
}

const POLL_MS = 100;
/** How long recorders may take to write what they have; one whose event loop is blocked needs longer. */
const FINISH_MS = 4_000;
const PRELOAD = fileURLToPath(new URL('./child/preload.cjs', import.meta.url));

/**
 * Run a command unchanged and record what the thread pool of each of its Node processes does: a recorder is preloaded
 * through NODE_OPTIONS. When `signal` aborts or the duration is over, the recorders finish first, and then the command is
 * ended.
 *
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED, PLIMSOLL_NOT_RECORDED
 */
export async function record(
  command: readonly string[],
  { durationMs = Infinity, size, maxEvents = 1_000_000, calls, stdout = 'stdout' }: RecordOptions,
  supervision: Supervision<RecordProgress>,
): Promise<Trace> {
  const { guardian } = supervision;
  const directory = guardian.temporaryDirectory();
  try {
    const startedAt = new Date().toISOString();
    const environment = captureEnvironment({ directory: process.cwd() });
    const origin = Number(process.hrtime.bigint() / 1000n);
    const variables = {
      PLIMSOLL_TRACE: JSON.stringify({ directory, maxEvents, calls }),
      ...preloading(PRELOAD),
      ...(size == null ? {} : { UV_THREADPOOL_SIZE: String(size) }),
    };
    const running = await startCommand(command, variables, stdout, guardian);
    const ending = await attend(running, directory, durationMs, supervision);
    await running.close();
    const logs = recordings(directory).flatMap((name) =>
      parseProcessLogs(readFileSync(join(directory, name), 'utf8')),
    );
    if (logs.length === 0 && ending !== 'interrupted') throw nothingRecorded(command, await running.ended);
    const reduced = logs.map((log) => reduce(log, origin));
    const processes = reduced.map(({ process }) => process);
    processes.sort((a, b) => a.startMs - b.startMs || a.pid - b.pid);
    const failed = { id: 'trace.command-failed', detail: running.end()?.text ?? '' };
    return {
      ...{ environment, command: basename(command[0] ?? ''), startedAt, ending, processes },
      durationMs: Math.max(0, ...processes.map(({ endMs }) => endMs)),
      notes: [...(ending === 'failed' ? [failed] : []), ...reduced.flatMap(({ notes }) => notes)],
    };
  } finally {
    guardian.remove(directory);
  }
}

/** Wait until the command has ended, with everything of it that is recorded, or must be ended. */
async function attend(
  running: RunningCommand,
  directory: string,
  durationMs: number,
  { signal, onProgress }: Supervision<RecordProgress>,
): Promise<Trace['ending']> {
  const start = performance.now();
  const elapsed = (): number => performance.now() - start;
  while (!signal.aborted && elapsed() < durationMs) {
    const end = running.end();
    // A command may leave processes behind that go on, as `pm2 start` does. Daemons that are not Node record nothing.
    if (end !== null && !processesWithEnvironment([directory]).some((pid) => isNodeProcess(pid)))
      return end.code === 0 ? 'ended' : 'failed';
    onProgress?.({ elapsedMs: elapsed(), processes: recordings(directory).length });
    const ms = Math.max(1, Math.min(POLL_MS, durationMs - elapsed()));
    const pause = sleep(ms, undefined, { signal }).catch(() => {});
    await (end === null ? Promise.race([pause, running.ended]) : pause);
  }
  // Recorders write what they have, those that still can.
  writeFileSync(join(directory, 'finish'), '');
  const hasFinished = (name: string): boolean =>
    existsSync(join(directory, `${name}.end`)) || isGone(Number.parseInt(name, 10));
  await until(() => recordings(directory).every(hasFinished), FINISH_MS);
  await running.stop(signal.aborted ? 'SIGINT' : 'SIGTERM', [directory], isNodeProcess);
  return signal.aborted ? 'interrupted' : 'stopped';
}

const recordings = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith('.jsonl'));

function nothingRecorded(command: readonly string[], end: CommandEnd): PlimsollError {
  const options = [...command, process.env.NODE_OPTIONS].join(' ');
  const why = /--(experimental-)?permission\b/.test(options)
    ? 'with --permission Node refuses the recorder what it needs; add --allow-worker, and --allow-fs-read and --allow-fs-write for the directory of plimsoll and the temporary one (and from Node 26 on --allow-inspector; before, its pool cannot be traced), or trace without --permission'
    : 'is it no Node program, or does something in it set NODE_OPTIONS anew?';
  const text = `no Node process of the command could be recorded (it ended with ${end.text}): ${why}`;
  return new PlimsollError('PLIMSOLL_NOT_RECORDED', text);
}
