import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { measure } from '#plimsoll/model/measures.js';
import { simulate } from '#plimsoll/model/simulate.js';
import type { Passage } from '#plimsoll/model/workload.js';
import { createRandom } from '#plimsoll/stats/random.js';
import { AMPLE, type SimpleJob, workloadOf } from '../support/workload.js';

const times = (count: number, job: SimpleJob): SimpleJob[] => Array.from({ length: count }, () => job);
const rounded = (values: Float64Array): number[] =>
  Array.from(values, (value) => Math.round(value * 1e6) / 1e6);
const near = (value: number, expected: number, share: number): void =>
  assert.ok(Math.abs(value / expected - 1) < share, `${value} is not ${expected} within ${100 * share} %`);

describe('worked out by hand', () => {
  test('blocked jobs go through in rounds of the pool’s size', () => {
    const { endMs } = simulate(workloadOf(times(5, { blocked: 10 })), { size: 2, machine: AMPLE });
    assert.deepEqual(rounded(endMs), [10, 10, 20, 20, 30]);
  });

  test('two threads take turns on one core, a slice at a time', () => {
    const machine = { ...AMPLE, cores: 1 };
    const { endMs } = simulate(workloadOf(times(2, { cpu: 10 })), { size: 2, machine });
    assert.deepEqual(rounded(endMs).sort(), [18, 20]);
  });

  test('a quota of half a core: 50 ms of each 100 ms, then nothing', () => {
    const machine = { ...AMPLE, quota: 0.5 };
    const { endMs } = simulate(workloadOf([{ cpu: 120 }]), { size: 1, machine });
    assert.deepEqual(rounded(endMs), [220]);
  });

  test('two threads use up a quota twice as fast', () => {
    const machine = { ...AMPLE, quota: 0.5 };
    const { endMs } = simulate(workloadOf(times(2, { cpu: 50 })), { size: 2, machine });
    assert.deepEqual(rounded(endMs), [125, 125]);
  });

  test('a device serves two at full speed, four at half of it', () => {
    const work = workloadOf(times(4, { blocked: 10 }));
    const { endMs } = simulate(work, { size: 4, machine: AMPLE, devices: { fast: 2, slow: 1 } });
    assert.deepEqual(rounded(endMs), [20, 20, 20, 20]);
  });

  test('callbacks wait for one another', () => {
    const work = workloadOf(times(3, { blocked: 10, after: 2 }));
    const { callbackMs } = simulate(work, { size: 3, machine: AMPLE });
    assert.deepEqual(
      rounded(callbackMs).sort((a, b) => a - b),
      [10, 12, 14],
    );
  });

  test('what a callback submits moves with it; what comes later keeps its distance', () => {
    const work = workloadOf([
      { blocked: 10, after: 1 },
      { blocked: 10 },
      { parent: 0, blocked: 5 },
      { parent: 0, at: 3, blocked: 5 },
    ]);
    const wide = simulate(work, { size: 4, machine: AMPLE });
    assert.deepEqual(rounded(wide.submitMs), [0, 0, 11, 13]);
    const narrow = simulate(work, { size: 1, machine: AMPLE });
    assert.deepEqual(rounded(narrow.startMs), [0, 10, 20, 25]);
  });

  test('every process has a pool of its own, and all share the cores', () => {
    const jobs = [...times(2, { cpu: 4 }), ...times(2, { cpu: 4, loop: 1 })];
    const { startMs, endMs } = simulate(workloadOf(jobs, [0, 1]), {
      size: 1,
      machine: { ...AMPLE, cores: 2 },
    });
    assert.deepEqual(rounded(startMs), [0, 4, 0, 4]);
    assert.deepEqual(rounded(endMs), [4, 8, 4, 8]);
  });
});

describe('closed forms', () => {
  const random = createRandom(7);
  const exponential = (mean: number): number => -Math.log(1 - random.next()) * mean;

  /** Mean wait of M/M/c by Erlang's C formula. */
  function erlangWait(load: number, servers: number, serviceMs: number): number {
    let term = 1;
    let sum = 1;
    for (let k = 1; k < servers; k++) {
      term *= load / k;
      sum += term;
    }
    const last = ((term * load) / servers) * (servers / (servers - load));
    return ((last / (sum + last)) * serviceMs) / (servers - load);
  }

  for (const [servers, load] of [
    [1, 0.6],
    [4, 3],
    [16, 13],
  ] as const)
    test(`M/M/${servers} at a load of ${load}`, () => {
      let at = 0;
      const jobs = Array.from({ length: 60_000 }, () => {
        at += exponential(10 / load);
        return { at, blocked: exponential(10) };
      });
      const { queueWaitMs } = measure(simulate(workloadOf(jobs), { size: servers, machine: AMPLE }), servers);
      near(queueWaitMs.mean, erlangWait(load, servers, 10), 0.1);
    });

  test('D/D/n below its capacity: nobody waits', () => {
    const jobs = Array.from({ length: 1000 }, (_, index) => ({ at: 5 * index, blocked: 19 }));
    const result = measure(simulate(workloadOf(jobs), { size: 4, machine: AMPLE }), 4);
    assert.ok(result.queueWaitMs.p99 < 1e-6);
    near(result.utilization, 0.95, 0.01);
  });

  test('work on two cores takes half of the time, however many threads there are', () => {
    for (const size of [2, 8, 64]) {
      const machine = { ...AMPLE, cores: 2 };
      const { makespanMs } = measure(simulate(workloadOf(times(200, { cpu: 7 })), { size, machine }), size);
      // At the end a core may be idle for some slices before it is given somebody else's thread.
      near(makespanMs, 700, 0.06);
    }
  });
});

const anyJobs = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 4 }),
      cpu: fc.integer({ min: 0, max: 9 }),
      blocked: fc.integer({ min: 0, max: 9 }),
      slow: fc.boolean(),
      after: fc.integer({ min: 0, max: 2 }),
      family: fc.option(fc.nat(), { nil: null }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((list) => {
    let at = 0;
    return list.map(({ gap, family, ...rest }, index): SimpleJob => {
      at += gap;
      return family === null || index === 0 ? { ...rest, at } : { ...rest, at: gap, parent: family % index };
    });
  });
const anyMachine = fc.record({
  cores: fc.integer({ min: 1, max: 4 }),
  quota: fc.constantFrom(null, 0.5, 1.5),
  otherCores: fc.constantFrom(0, 0.3),
  sliceMs: fc.constant(4),
  protectMs: fc.constant(1.4),
  wakeMs: fc.constantFrom(0, 0.05),
});

describe('what always holds', () => {
  test('no job is lost, the order of its stages holds, no more run than threads, no work is lost or made', () => {
    fc.assert(
      fc.property(anyJobs, anyMachine, fc.integer({ min: 1, max: 9 }), (jobs, machine, size) => {
        const passage = simulate(workloadOf(jobs), { size, machine, sampleMs: 2 });
        checkStages(passage, jobs);
        assert.ok(mostAtOnce(passage) <= size);
        const work = jobs.reduce((sum, { cpu = 0 }) => sum + cpu, 0);
        assert.ok(passage.cpuMs >= work - 1e-3, `${passage.cpuMs} of ${work} ms`);
        if (machine.otherCores === 0) {
          const loop = jobs.reduce((sum, { after = 0 }) => sum + after, 0);
          assert.ok(passage.cpuMs <= work + loop + 1e-3, `${passage.cpuMs} of ${work + loop} ms`);
        }
        for (const delay of passage.loopDelaysMs) assert.ok(delay >= 0);
      }),
      { numRuns: 300 },
    );
  });

  function checkStages({ submitMs, startMs, endMs, callbackMs }: Passage, jobs: readonly SimpleJob[]): void {
    for (const [job, { parent, cpu = 0, blocked = 0 }] of jobs.entries()) {
      const [submit, start, end, callback] = [submitMs, startMs, endMs, callbackMs].map(
        (all) => all[job] as number,
      ) as [number, number, number, number];
      assert.ok(submit <= start + 1e-9 && end <= callback + 1e-9);
      assert.ok(end - start >= cpu + blocked - 1e-6);
      if (parent !== undefined) assert.ok(submit >= (callbackMs[parent] as number) - 1e-9);
    }
  }

  function mostAtOnce({ startMs, endMs }: Passage): number {
    const changes = [...startMs].map((start, job) => [
      [start + 1e-7, 1],
      [Math.max(start + 1e-7, endMs[job] as number), -1],
    ]);
    let now = 0;
    let most = 0;
    for (const [, change = 0] of changes
      .flat()
      .sort(([a = 0, up = 0], [b = 0, other = 0]) => a - b || up - other)) {
      now += change;
      most = Math.max(most, now);
    }
    return most;
  }

  test('the same arguments give the same result, another seed another one', () => {
    const work = workloadOf(times(40, { cpu: 5 }));
    const run = (seed: number) =>
      simulate(work, { size: 8, machine: { ...AMPLE, cores: 2, otherCores: 0.4 }, seed }).endMs;
    assert.deepEqual(run(3), run(3));
    assert.notDeepEqual(run(3), run(4));
  });

  test('where nothing but threads is scarce, more of them never make a job later', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ at: fc.integer({ min: 0, max: 50 }), blocked: fc.integer({ min: 1, max: 20 }) }),
          {
            minLength: 1,
            maxLength: 40,
          },
        ),
        fc.integer({ min: 1, max: 8 }),
        (jobs, size) => {
          const work = workloadOf(jobs.toSorted((a, b) => a.at - b.at));
          const fewer = simulate(work, { size, machine: AMPLE }).startMs;
          const more = simulate(work, { size: size + 1, machine: AMPLE }).startMs;
          for (let job = 0; job < jobs.length; job++)
            assert.ok((more[job] as number) <= (fewer[job] as number) + 1e-6);
        },
      ),
    );
  });

  test('threads that compute make the event loop late when there are more of them than cores', () => {
    const work = workloadOf(times(120, { cpu: 10 }));
    const delay = (size: number): number =>
      measure(simulate(work, { size, machine: { ...AMPLE, cores: 2 }, sampleMs: 1 }), size).eventLoopDelayMs
        .p99;
    assert.ok(delay(1) <= 4, `${delay(1)}: at most a slice`);
    assert.ok(delay(16) > delay(2), `${delay(16)} after ${delay(2)}`);
  });
});
