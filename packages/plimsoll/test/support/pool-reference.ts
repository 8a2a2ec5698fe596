import fc from 'fast-check';

/** Submitted at `at`, on its thread for `blocked`; slow I/O or not. */
export interface QueuedJob {
  readonly at: number;
  readonly blocked: number;
  readonly slow: boolean;
}

interface Running {
  readonly job: number;
  readonly end: number;
  readonly slow: boolean;
}

/** Starts of jobs by libuv's rules as they stand in threadpool.c, by plain arrays and by looking at everything each time. */
export function referenceStarts(jobs: readonly QueuedJob[], size: number): number[] {
  const starts: number[] = jobs.map(() => Number.NaN);
  const queue: (number | 'marker')[] = [];
  const slowQueue: number[] = [];
  let running: Running[] = [];
  const left = jobs.map((_, job) => job);
  const mostSlow = Math.floor((size + 1) / 2);
  const slowRunning = (): number => running.filter(({ slow }) => slow).length;

  const dispatch = (now: number): void => {
    while (running.length < size && queue.length > 0) {
      if (queue.length === 1 && queue[0] === 'marker' && slowRunning() >= mostSlow) return;
      let job = queue.shift() as number | 'marker';
      if (job === 'marker') {
        if (slowRunning() >= mostSlow) {
          queue.push('marker');
          continue;
        }
        job = slowQueue.shift() as number;
        if (slowQueue.length > 0) queue.push('marker');
      }
      const { blocked, slow } = jobs[job] as QueuedJob;
      starts[job] = now;
      running.push({ job, end: now + blocked, slow });
    }
  };

  while (left.length + running.length > 0) {
    const arrival = Math.min(...left.map((job) => jobs[job]?.at as number));
    const end = Math.min(...running.map((one) => one.end));
    const now = Math.min(arrival, end);
    if (end < arrival) running = running.filter((one) => one.end !== end);
    else {
      const job = left.find((candidate) => jobs[candidate]?.at === arrival) as number;
      left.splice(left.indexOf(job), 1);
      if (!jobs[job]?.slow) queue.push(job);
      else {
        slowQueue.push(job);
        if (!queue.includes('marker')) queue.push('marker');
      }
    }
    dispatch(now);
  }
  return starts;
}

/** No two things at the same moment: their order would be chance. */
export const QUEUED_JOBS = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 3 }),
      blocked: fc.integer({ min: 1, max: 12 }),
      slow: fc.boolean(),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((list) => {
    let at = 0;
    return list.map(({ gap, blocked, slow }, index) => {
      at += gap + Math.SQRT2 / 1000;
      return { at, blocked: blocked + Math.sin(index + 1) / 10, slow };
    });
  });
