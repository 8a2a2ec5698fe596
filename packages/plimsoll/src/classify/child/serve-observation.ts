import type { ThreadInfo } from '../../host/pool-threads.js';
import { type SizedJob, serveJob } from '../../lab/child/serve.js';
import { BadModule } from '../../workloads/module.js';
import type { ObservationAnswer } from '../observe.js';

/** @param work never rejects; it may end the process. */
export function serveObservation<Job extends SizedJob, Ready, Answer extends { readonly type: string }>(
  before: readonly ThreadInfo[],
  after: readonly ThreadInfo[],
  prepare: (job: Job) => Promise<Ready>,
  work: (ready: Ready, job: Job, observedThreads: number | null) => Promise<Answer>,
): void {
  serveJob(before, after, async (job: Job, observedThreads) => {
    let ready: Ready;
    try {
      ready = await prepare(job);
    } catch (error) {
      return finish({ type: 'bad-module', message: whyBad(error) });
    }
    // process.exit() waits for the pool queue, forever if all pool threads are blocked.
    process.once('exit', (code) => finish({ type: 'exited', code }));
    finish(await work(ready, job, observedThreads));
  });
}

function whyBad(error: unknown): string {
  if (error instanceof BadModule) return error.message;
  return `it cannot be loaded: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
}

let finished = false;

function finish(answer: ObservationAnswer | { readonly type: string }): void {
  if (finished) return;
  finished = true;
  process.send?.(answer, undefined, {}, () => process.kill(process.pid, 'SIGKILL'));
  // During 'exit' no callback runs any more; the channel has taken the few bytes at once.
  if (answer.type === 'exited') process.kill(process.pid, 'SIGKILL');
}
