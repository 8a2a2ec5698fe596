import { PlimsollError } from '../errors.js';
import { traceAdvice, traceNotes } from '../report/findings/trace.js';
import type { Recording, Trace } from '../results/trace.js';
import type { TraceSummary } from '../results/trace-summary.js';
import {
  type Ending,
  type RecordContext,
  type RecordOptions,
  type RecordProgress,
  record,
} from '../trace/record.js';
import { programsOf } from '../trace/summary.js';
import { readTrace as read } from '../trace/trace-file.js';
import { checkPositive, checkSize } from './check.js';
import { type RunOptions, supervised } from './run-options.js';

/** What `trace` records. */
export interface TraceOptions extends RecordOptions {
  /** The program and its arguments, such as `['node', 'app.js']`. */
  readonly command: readonly string[];
}

/** A trace, and what became of the command. */
export interface RecordedTrace extends Trace {
  /** `ended` by itself, `failed` by itself, `stopped` after the duration, or `interrupted`. */
  readonly ending: Ending;
}

/** A recording and what it shows. */
export interface Traced {
  /** Every job, for `writeTrace`. */
  readonly trace: RecordedTrace;
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
  if (how.sample !== undefined) checkPositive(how.sample, 'sample', 1);
  const recorded = await supervised(signal, (supervision) =>
    recordTrace(command, how, { ...supervision, onProgress }),
  );
  return { trace: recorded, summary: summarise(recorded) };
}

/** `record`, with notes that have their text. */
export const recordTrace = async (
  command: readonly string[],
  options: RecordOptions,
  context: RecordContext,
): Promise<RecordedTrace> => withTexts(await record(command, options, context));

/**
 * Read a kept trace. What is missing or damaged is left out and said in a note; so is what cannot be, such as a job that
 * ended before it started.
 *
 * @param source path of a file, or the text itself (which begins with a brace or has several lines).
 * @throws {PlimsollError} PLIMSOLL_BAD_TRACE when it cannot be read, is empty, or is no kept trace.
 * @example
 * readTrace('app.trace').processes[0]?.jobs.length;
 */
export const readTrace = (source: string): Trace => withTexts(read(source));

/** What a recording shows. */
export function summarise(recorded: RecordedTrace): TraceSummary {
  const { environment, command, startedAt, durationMs, ending, notes } = recorded;
  return {
    schema: 'plimsoll/1',
    kind: 'trace',
    environment,
    command: [...command],
    startedAt,
    durationMs,
    ending,
    programs: programsOf(recorded).map((one) => ({ ...one, advice: traceAdvice(one.advice) })),
    notes: [...notes],
  };
}

const withTexts = <Given extends Recording>(recording: Given): Given & Trace => ({
  ...recording,
  notes: traceNotes(recording.notes),
});
