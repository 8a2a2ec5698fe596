import { poolThreadsBetween, type ThreadInfo } from '../../host/pool-threads.js';

export interface SizedJob {
  readonly size: number;
  /** Working directory: entering a mount namespace loses it. */
  readonly cwd: string;
}

export type SizedAnswer =
  | { readonly type: 'started' }
  | { readonly type: 'refused'; readonly observedThreads: number };

/** Take one job over IPC and work, if the pool has the size that the job names. Lists of threads: around the pool's first use. */
export function serveJob<Job extends SizedJob>(
  before: readonly ThreadInfo[],
  after: readonly ThreadInfo[],
  work: (job: Job, observedThreads: number | null) => Promise<void>,
): void {
  const observedThreads = poolThreadsBetween(before, after);
  const answer = (message: SizedAnswer): unknown => process.send?.(message);
  process.once('message', (job: Job) => {
    process.chdir(job.cwd);
    if (observedThreads !== null && observedThreads !== job.size)
      answer({ type: 'refused', observedThreads });
    else void work(job, observedThreads);
  });
  // The parent is gone, so the answer is not needed. Not process.exit(), which waits for the queue of the pool, for ever if its
  // threads are blocked.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  answer({ type: 'started' });
}
