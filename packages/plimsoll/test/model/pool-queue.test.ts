import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { simulate } from '#plimsoll/model/simulate.js';
import { AMPLE, type SimpleJob, workloadOf } from '../support/workload.js';

interface Running {
  readonly job: number;
  readonly end: number;
  readonly slow: boolean;
}

/** Starts of jobs by libuv's rules as they stand in threadpool.c, by plain arrays and by looking at everything each time. */
function reference(
  jobs: readonly Required<Pick<SimpleJob, 'at' | 'blocked' | 'slow'>>[],
  size: number,
): number[] {
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
      const { blocked, slow } = jobs[job] as (typeof jobs)[number];
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
const jobs = fc
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

test('jobs start when libuv’s rules say, slow I/O included: as a plain second implementation', () => {
  fc.assert(
    fc.property(jobs, fc.integer({ min: 1, max: 9 }), (list, size) => {
      const { startMs } = simulate(workloadOf(list), { size, machine: AMPLE });
      const expected = reference(list, size);
      for (const [job, start] of expected.entries())
        assert.ok(
          Math.abs((startMs[job] as number) - start) < 1e-6,
          `job ${job}: ${startMs[job]}, not ${start}`,
        );
    }),
    { numRuns: 300 },
  );
});

test('of a backlog one lookup is served for each pass of the queue', () => {
  // 12 jobs before 3 lookups; each job that ends is followed by another, so the queue stays as long. A thread takes its next
  // job before the callback of the last one submits: 11 jobs and the lookup itself stand before the next lookup.
  const work: SimpleJob[] = Array.from({ length: 12 }, (_, index) => ({ at: index / 1000, blocked: 10 }));
  for (let index = 0; index < 3; index++) work.push({ at: 1 + index / 1000, blocked: 10, slow: true });
  for (let index = 0; index < 60; index++) work.push({ parent: index < 12 ? index : index + 3, blocked: 10 });
  const { startMs } = simulate(workloadOf(work), { size: 1, machine: AMPLE });
  const before = (lookup: number): number =>
    startMs.filter((start) => start < (startMs[lookup] as number)).length;
  assert.deepEqual([before(12), before(13), before(14)], [12, 24, 36]);
});
