import { PlimsollError } from '../errors.js';
import { traceAdvice, traceNote } from '../report/findings/trace.js';
import type { Trace } from '../results/trace.js';
import type { TraceSummary } from '../results/trace-summary.js';
import { type RecordOptions, type RecordProgress, record } from '../trace/record.js';
import { programsOf } from '../trace/summary.js';
import { checkSize } from './check.js';
import { type RunOptions, supervised } from './run-options.js';

/** What `trace` records. */
export interface TraceOptions extends RecordOptions {
  /** The program and its arguments, such as `['node', 'app.js']`. */
  readonly command: readonly string[];
}

/** A recording and what it shows. */
export interface Traced {
  /** Every job. */
  readonly trace: Trace;
  /** Where the time of the jobs went, program by program: what `traceReport` prints. */
  readonly summary: TraceSummary;
}

/**
 * Run a command unchanged, record what the thread pool of each of its Node processes does, and say where the time of the
 * jobs went.
 *
 * When `signal` aborts or the duration is over, the command is ended and what was recorded is returned (`trace.ending`). No
 * process and no temporary directory is left.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an option out of range; PLIMSOLL_TARGET_FAILED when the command cannot be
 * started; PLIMSOLL_NOT_RECORDED when no Node process of it could be recorded.
 * @example
 * const { trace: recorded, summary } = await trace({ command: ['node', 'app.js'], durationMs: 30_000 });
 */
export async function trace(
  options: TraceOptions,
  { signal, onProgress }: RunOptions<RecordProgress> = {},
): Promise<Traced> {
  const { command, ...how } = options;
  if (command.length === 0) throw new PlimsollError('PLIMSOLL_USAGE', 'command: must name a program to run');
  if (how.size != null) checkSize(how.size, 'size');
  const recorded = await supervised(signal, (supervision) =>
    record(command, how, { ...supervision, onProgress }),
  );
  return { trace: recorded, summary: summarise(recorded) };
}

/** What a recording shows. */
export function summarise(recorded: Trace): TraceSummary {
  const { environment, command, startedAt, durationMs, ending, notes } = recorded;
  const cores = environment.cpu.effectiveCpus;
  return {
    schema: 'plimsoll/1',
    kind: 'trace',
    ...{ environment, command, startedAt, durationMs, ending },
    programs: programsOf(recorded).map((program) => ({
      ...program.facts,
      advice: traceAdvice(program, cores),
    })),
    notes: notes.map(traceNote),
  };
}
