import { lowerBound } from '../collections/lower-bound.js';
import type { PoolJob, Unplaced } from './job.js';
import { PoolQueue } from './queue.js';

/** The most microseconds that a job may have spent on its thread; its result may then have waited for the loop. */
export type Longest = (job: Unplaced, started: number) => number;

/**
 * Which jobs waited for a thread, and when fs and dns jobs must have run, by sending all jobs through libuv's queue again. A job
 * without a known run began when the queue assigned a thread, and occupied it until its result was taken, or for `longest`.
 *
 * @param jobs in order of submission.
 */
export function placeJobs(
  jobs: readonly Unplaced[],
  size: number,
  longest: Longest = () => Number.POSITIVE_INFINITY,
): PoolJob[] {
  const timed: PoolJob[] = Array(jobs.length);
  const queue = new PoolQueue(size);
  /** Jobs on threads; the first to leave comes last. */
  const running: { readonly job: Unplaced; readonly endsAt: number }[] = [];

  /** A thread takes a job, and signals further idle threads while slow jobs wait. */
  const take = (now: number): void => {
    while (running.length < size) {
      const index = queue.take();
      if (index === -1) return;
      const job = jobs[index] as Unplaced;
      // It cannot have started after its result was taken.
      const started = job.started ?? Math.min(now, job.returned);
      const ended = job.ended ?? Math.min(job.returned, started + longest(job, started));
      const waited = now > job.submitted;
      timed[index] =
        job.started === null ? { ...job, started, ended, inferred: true, waited } : { ...job, waited };
      const endsAt = Math.max(now, ended);
      running.splice(
        lowerBound(running, (rival) => rival.endsAt > endsAt),
        0,
        { job, endsAt },
      );
      if (job.kind !== 'dns' || !queue.hasSlowWaiting) return;
    }
  };
  const serveUntil = (time: number): void => {
    for (let next = running.at(-1); next !== undefined && next.endsAt <= time; next = running.at(-1)) {
      running.pop();
      if (next.job.kind === 'dns') queue.slowEnded();
      take(next.endsAt);
    }
  };

  for (const [index, job] of jobs.entries()) {
    if (job.kind === 'kernel') {
      timed[index] = { ...job, waited: false };
      continue;
    }
    serveUntil(job.submitted);
    if (queue.submit(index, job.kind === 'dns')) take(job.submitted);
  }
  serveUntil(Number.POSITIVE_INFINITY);
  return timed;
}
