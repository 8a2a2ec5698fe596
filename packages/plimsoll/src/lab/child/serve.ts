import { poolThreadsBetween, type ThreadInfo } from '../../host/pool-threads.js';

export interface SizedJob {
  readonly size: number;
  /** Working directory, which entering a mount namespace loses. */
  readonly cwd: string;
}

export type SizedAnswer =
  | { readonly type: 'started' }
  | { readonly type: 'refused'; readonly observedThreads: number };

/** Take one job over IPC and work if the pool has the job's size. The lists of threads are from around the pool's first use. */
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
  // The parent is gone, so nobody needs the answer. process.exit() waits for the pool queue, forever if all threads are blocked.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  answer({ type: 'started' });
}
