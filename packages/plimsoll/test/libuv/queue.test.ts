import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { simulate } from '#plimsoll/model/simulate.js';
import { QUEUED_JOBS, referenceStarts } from '../support/pool-reference.js';
import { AMPLE, type SimpleJob, workloadOf } from '../support/workload.js';

test('jobs start when libuv’s rules say, slow I/O included: as a plain second implementation', () => {
  fc.assert(
    fc.property(QUEUED_JOBS, fc.integer({ min: 1, max: 9 }), (list, size) => {
      const { startMs } = simulate(workloadOf(list), { size, machine: AMPLE });
      const expected = referenceStarts(list, size);
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
