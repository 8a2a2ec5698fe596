import type { Objective, RecordedTrace } from 'plimsoll/lab';

export interface Plan {
  /** Of each size. */
  readonly runs: number;
  readonly scale: number;
  readonly objective: Objective;
}

/** One run of a workload at a size. */
export interface SizedRun {
  readonly size: number;
  readonly trace: RecordedTrace;
  readonly ms: number;
}

/** From submission to callback, in milliseconds. */
export function meanLatency({ trace }: SizedRun): number {
  const jobs = trace.processes.flatMap((one) => one.jobs);
  return jobs.reduce((sum, { callbackMs, submitMs }) => sum + callbackMs - submitMs, 0) / jobs.length;
}
