import { lowerBound } from '../collections/lower-bound.js';
import type { PoolJob, Unplaced } from './job.js';
import { PoolQueue } from './queue.js';

/** How long a job that began at some moment was at most on its thread, in microseconds: its result may have waited for the loop. */
export type Longest = (job: Unplaced, started: number) => number;

/**
 * Say which jobs had to wait for a thread, and when those of fs and dns must have run: let jobs of which only submissions and
 * returns are known go through the queue once more, by its own rules. Each began when the queue gave it a thread, and kept that
 * until its result was taken, or `longest` later. What is known of a job stays.
 *
 * @param jobs in the order of submission.
 */
export function placeJobs(
  jobs: readonly Unplaced[],
  size: number,
  longest: Longest = () => Number.POSITIVE_INFINITY,
): PoolJob[] {
  const timed: PoolJob[] = Array(jobs.length);
  const queue = new PoolQueue(size);
  /** What is on a thread; what leaves it first comes last. */
  const running: { readonly job: Unplaced; readonly endsAt: number }[] = [];

  /** A thread looks for a job, again and again while slow ones wait and other threads are idle. */
  const take = (now: number): void => {
    while (running.length < size) {
      const index = queue.take();
      if (index === -1) return;
      const job = jobs[index] as Unplaced;
      // Whatever the rule says, it had ended when its result was taken.
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
