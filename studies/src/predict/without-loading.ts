import type { Trace, TracedProcess } from 'plimsoll/lab';
import { since } from './programs/since.js';

/** Nothing is submitted for so long between loading a workload and its work. */
const SILENCE_MS = 150;

/** A trace without the loading of the workload, which comes before the first silence; what is left keeps its own. */
export const withoutLoading = <Recorded extends Trace>(trace: Recorded): Recorded =>
  since(trace, afterSilence);

/** In the middle of the silence: an operation begins before its first job. */
function afterSilence({ jobs }: TracedProcess): number {
  const first = jobs[firstAfterSilence(jobs)];
  return first === undefined || first === jobs[0]
    ? Number.NEGATIVE_INFINITY
    : first.submitMs - SILENCE_MS / 2;
}

/** The first job that is submitted so long after all before it are done; 0 when there is no silence. */
function firstAfterSilence(jobs: TracedProcess['jobs']): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, { submitMs, callbackMs }] of jobs.entries()) {
    if (index > 0 && submitMs - last > SILENCE_MS) return index;
    last = Math.max(last, callbackMs);
  }
  return 0;
}
