import { itemAt } from '../collections/item-at.js';
import { lowerBound } from '../collections/lower-bound.js';
import type { PoolJob, Unplaced } from './job.js';
import { PoolQueue } from './queue.js';

/**
 * Send jobs through libuv's queue again.
 *
 * @param jobs in order of submission.
 * @param serve called when a thread takes a job; returns when the job leaves the thread.
 * @returns when a thread took each job; nothing for those that need no pool.
 */
export function replay(
  jobs: readonly Pick<PoolJob, 'kind' | 'submitted'>[],
  size: number,
  serve: (index: number, now: number) => number,
): number[] {
  const taken: number[] = Array(jobs.length);
  const queue = new PoolQueue(size);
  /** Jobs on threads; the first to leave comes last. */
  const running: { readonly isSlow: boolean; readonly endsAt: number }[] = [];

  /** A thread takes a job, and signals further idle threads while slow jobs wait. */
  const take = (now: number): void => {
    while (running.length < size) {
      const index = queue.take();
      if (index === -1) return;
      taken[index] = now;
      const isSlow = itemAt(jobs, index).kind === 'dns';
      const endsAt = serve(index, now);
      running.splice(
        lowerBound(running, (rival) => rival.endsAt > endsAt),
        0,
        { isSlow, endsAt },
      );
      if (!isSlow || !queue.hasSlowWaiting) return;
    }
  };
  const serveUntil = (time: number): void => {
    for (let next = running.at(-1); next !== undefined && next.endsAt <= time; next = running.at(-1)) {
      running.pop();
      if (next.isSlow) queue.slowEnded();
      take(next.endsAt);
    }
  };

  for (const [index, { kind, submitted }] of jobs.entries()) {
    if (kind === 'kernel') continue;
    serveUntil(submitted);
    if (queue.submit(index, kind === 'dns')) take(submitted);
  }
  serveUntil(Number.POSITIVE_INFINITY);
  return taken;
}

/**
 * Which jobs waited for a thread, and when fs and dns jobs must have run, by a replay. A job without a known run began when the
 * queue assigned a thread, and occupied it until its result was taken, or for `longest`.
 *
 * @param longest the most microseconds that a job may have spent on its thread; its result may then have waited for the loop.
 */
export function placeJobs(
  jobs: readonly Unplaced[],
  size: number,
  longest: (job: Unplaced, started: number) => number = () => Number.POSITIVE_INFINITY,
): PoolJob[] {
  const poolJobs = jobs.map((job): PoolJob => ({ ...job, waited: false }));
  replay(jobs, size, (index, now) => {
    const job = itemAt(jobs, index);
    // It cannot have started after its result was taken.
    const started = job.started ?? Math.min(now, job.returned);
    const ended = job.ended ?? Math.min(job.returned, started + longest(job, started));
    poolJobs[index] = { ...job, started, ended, inferred: job.started === null, waited: now > job.submitted };
    return Math.max(now, ended);
  });
  return poolJobs;
}
