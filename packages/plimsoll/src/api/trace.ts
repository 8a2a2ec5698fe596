import { usage } from '../errors.js';
import { traceAdvice, traceNote } from '../report/findings/trace.js';
import type { Trace } from '../results/trace.js';
import type { TraceSummary } from '../results/trace-summary.js';
import { type RecordProgress, record } from '../trace/record.js';
import { programsOf } from '../trace/summary.js';
import type { OptionsOf } from './options.js';
import { type RunOptions, supervised } from './run-options.js';
import { checkOptions } from './values.js';

export type TraceOptions = OptionsOf<'trace'>;

export interface Traced {
  readonly trace: Trace;
  /** Where the time of the jobs went, program by program: what `reportText` prints. */
  readonly summary: TraceSummary;
}

/**
 * Run a command unchanged, record what the thread pool of each of its Node processes does, and say where the time of the
 * jobs went.
 *
 * When `signal` aborts or the duration is over, the command is ended and what was recorded is returned (`trace.ending`).
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
  const { command, ...how } = checkOptions('trace', options);
  if (command.length === 0) throw usage('command: must name a program to run');
  const recorded = await supervised(signal, (supervision) =>
    record(command, how, { ...supervision, onProgress }),
  );
  return { trace: recorded, summary: summarise(recorded) };
}

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
