import type { Trace } from 'plimsoll/lab';
import type { ProgramRun } from './measured.js';

export interface Runs {
  readonly measured: readonly ProgramRun[];
  /** Second runs of the baseline size. */
  readonly twins: readonly ProgramRun[];
}

export interface RecordedRun {
  readonly trace: Trace;
  /** As clients or the script saw them while it was recorded. */
  readonly unitsMs: readonly number[];
}
