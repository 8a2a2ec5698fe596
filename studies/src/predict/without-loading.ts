import type { Trace, TracedProcess } from 'plimsoll/lab';

/** Nothing is submitted for so long between loading a workload and its work. */
const SILENCE_MS = 150;

/** A trace without the jobs of loading the workload, which come before the first silence; parents keep their children. */
export const withoutLoading = <Recorded extends Trace>(trace: Recorded): Recorded => ({
  ...trace,
  processes: trace.processes.map(afterSilence),
});

function afterSilence(process: TracedProcess): TracedProcess {
  const first = firstAfterSilence(process.jobs);
  const jobs = process.jobs.slice(first).map((job) => ({
    ...job,
    parent: job.parent === null || job.parent < first ? null : job.parent - first,
  }));
  return { ...process, jobs };
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
