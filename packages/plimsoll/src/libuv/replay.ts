import { MinHeap } from '../collections/heap.js';
import type { PoolJob, Unplaced } from './job.js';
import { PoolQueue } from './queue.js';

/** How long a job that began at some moment was at most on its thread, in microseconds: its result may have waited for the loop. */
export type Longest = (job: Unplaced, started: number) => number;

/** Where a job must have been: microseconds, and whether it had to wait for a thread. */
export interface Stay {
  readonly started: number;
  readonly ended: number;
  readonly waited: boolean;
}

/**
 * Let jobs of which only submissions and returns are known go through the queue once more, by its own rules: each began when
 * the queue gave it a thread, and kept that until its result was taken, or `longest` later. What is known of a job stays.
 *
 * @param jobs in the order of submission.
 * @param tell is called for each job, in the order in which they begin.
 */
export function replayPool(
  jobs: readonly Unplaced[],
  size: number,
  longest: Longest,
  tell: (index: number, stay: Stay) => void,
): void {
  const queue = new PoolQueue(size);
  /** Of what is on a thread: when that becomes free, and which job it is. */
  const ends = new MinHeap();
  let idle = size;

  /** A thread looks for a job, again and again while slow ones wait and other threads are idle. */
  const take = (now: number): void => {
    while (idle > 0) {
      const index = queue.take();
      if (index === -1) return;
      idle--;
      const job = jobs[index] as Unplaced;
      // Whatever the rule says, it had ended when its result was taken.
      const started = job.started ?? Math.min(now, job.returned);
      const ended = job.ended ?? Math.min(job.returned, started + longest(job, started));
      tell(index, { started, ended, waited: now > job.submitted });
      ends.push(Math.max(now, ended), index);
      if (job.kind !== 'dns' || !queue.hasSlowWaiting) return;
    }
  };
  const serveUntil = (time: number): void => {
    while (ends.size > 0 && ends.least <= time) {
      const now = ends.least;
      if ((jobs[ends.pop()] as Unplaced).kind === 'dns') queue.slowEnded();
      idle++;
      take(now);
    }
  };

  for (const [index, job] of jobs.entries()) {
    if (job.kind === 'kernel') {
      tell(index, { started: job.submitted, ended: job.returned, waited: false });
      continue;
    }
    serveUntil(job.submitted);
    if (queue.submit(index, job.kind === 'dns')) take(job.submitted);
  }
  serveUntil(Number.POSITIVE_INFINITY);
}

/**
 * Say which jobs had to wait for a thread, and when those of fs and dns must have run, by replaying the queue.
 *
 * @param jobs in the order of submission.
 */
export function placeJobs(
  jobs: readonly Unplaced[],
  size: number,
  longest: Longest = () => Number.POSITIVE_INFINITY,
): PoolJob[] {
  const placed: PoolJob[] = Array(jobs.length);
  replayPool(jobs, size, longest, (index, { started, ended, waited }) => {
    const job = jobs[index] as Unplaced;
    const isInferred = job.kind !== 'kernel' && job.started === null;
    placed[index] = isInferred ? { ...job, started, ended, inferred: true, waited } : { ...job, waited };
  });
  return placed;
}
