import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isOverloaded } from '#plimsoll/advise/overload.js';
import { resample } from '#plimsoll/advise/resample.js';
import { withoutJobs } from '#plimsoll/model/edit.js';
import type { Machine } from '#plimsoll/model/machine.js';
import { type RequestMeasures, requestsIn } from '#plimsoll/model/request-measures.js';
import { simulate } from '#plimsoll/model/simulate.js';
import type { Workload } from '#plimsoll/model/workload.js';
import { createRandom } from '#plimsoll/stats/random.js';
import { type RequestJob, requestWork, type SimpleRequest } from '../support/request-work.js';
import { AMPLE } from '../support/workload.js';

const many = (count: number, request: (index: number) => SimpleRequest): SimpleRequest[] =>
  Array.from({ length: count }, (_, index) => request(index));
const near = (value: number, expected: number, share: number): void =>
  assert.ok(Math.abs(value / expected - 1) < share, `${value} is not ${expected} within ${100 * share} %`);

/** How long each request took, in milliseconds. */
function latencies(work: Workload, size: number, machine: Machine = AMPLE): number[] {
  const { startMs, callbackMs } = simulate(work, { size, machine });
  const { arrival, end } = work.requests as NonNullable<Workload['requests']>;
  return [...arrival].map(
    (step, request) =>
      Math.round(1e6 * ((callbackMs[end[request] as number] as number) - (startMs[step] as number))) / 1e6,
  );
}
const measured = (work: Workload, size: number): RequestMeasures =>
  requestsIn(work, simulate(work, { size, machine: AMPLE })) as RequestMeasures;

describe('requests worked out by hand', () => {
  test('a chain takes the sum of its jobs, whatever the size', () => {
    const work = requestWork([
      { jobs: [{ blocked: 10 }, { blocked: 5, after: [0] }, { blocked: 1, after: [1] }] },
    ]);
    for (const size of [1, 2, 4]) assert.deepEqual(latencies(work, size), [16]);
  });

  test('what forks and joins takes as long as the longest branch, or the sum with one thread', () => {
    const fork: RequestJob[] = [
      { blocked: 10 },
      { blocked: 20 },
      { blocked: 30 },
      { blocked: 40 },
      { blocked: 5, after: [0, 1, 2, 3] },
    ];
    const work = requestWork([{ jobs: fork }]);
    // One thread: 10 + 20 + 30 + 40 + 5. Two: 10 | 20, then 30 from 10 and 40 from 20, over at 60. Four: 40.
    assert.deepEqual(
      [1, 2, 4].map((size) => latencies(work, size)),
      [[105], [65], [45]],
    );
  });

  test('a request without jobs, waits beside the pool, and the time on the event loop before them', () => {
    const work = requestWork([
      { jobs: [], before: 3, delay: 7 },
      { at: 100, jobs: [{ blocked: 10 }, { blocked: 10, after: [0], delay: 4 }], before: 2, delay: 1 },
    ]);
    for (const size of [1, 4]) assert.deepEqual(latencies(work, size), [10, 27]);
  });

  test('of two requests the second waits for the threads that the first one has', () => {
    const work = requestWork(many(2, () => ({ jobs: [{ blocked: 10 }, { blocked: 10, after: [0] }] })));
    // One thread takes the jobs in the order in which they come: 1, 2, 1, 2.
    assert.deepEqual(latencies(work, 1), [30, 40]);
    assert.deepEqual(latencies(work, 2), [20, 20]);
  });

  test('what waited for a job that is gone waits for what that one followed', () => {
    const work = requestWork([
      { jobs: [{ blocked: 10 }, { blocked: 50, after: [0] }, { blocked: 1, after: [0, 1] }] },
    ]);
    assert.deepEqual(latencies(work, 4), [61]);
    assert.deepEqual(latencies(withoutJobs(work, (step) => step !== 2) as Workload, 4), [11]);
  });
});

describe('clients in a closed loop', () => {
  /** `clients` clients, each with `rounds` requests of `serviceMs` on a thread, thinking for `thinkMs`. */
  const closed = (clients: number, rounds: number, serviceMs: number, thinkMs: number): Workload =>
    requestWork(
      many(clients * rounds, (index) => ({
        jobs: [{ blocked: serviceMs }],
        ...(index < clients ? { isFirst: true } : { think: thinkMs }),
      })),
    );

  test('as many requests a second as N / (R + Z), exactly', () => {
    // A thread for each: R is 20.
    near(measured(closed(5, 40, 20, 30), 5).perSecond, (1000 * 5) / (20 + 30), 1e-6);
    // Two threads for eight clients that do not think: R is 80, and 2 / 20 ms get done.
    const few = measured(closed(8, 40, 20, 0), 2);
    near(few.latencyMs.p50, 80, 1e-6);
    near(few.perSecond, (1000 * 8) / 80, 1e-6);
    near(few.perSecond, 100, 1e-6);
  });

  test('think time that is longer than the service of all others leaves the threads idle', () => {
    const one = measured(closed(4, 50, 10, 90), 1);
    assert.ok(one.perSecond > 39 && one.perSecond < 41, `${one.perSecond}`);
  });

  test('clients never overload a size', () => {
    assert.equal(isOverloaded(closed(50, 4, 20, 0), AMPLE, 1, 1), false);
  });

  test('a resampled run has as many clients, and as many requests', () => {
    const work = closed(8, 40, 20, 5);
    const again = resample(work, createRandom(3));
    near(
      requestsIn(again, simulate(again, { size: 2, machine: AMPLE }))?.perSecond ?? 0,
      measured(work, 2).perSecond,
      1e-6,
    );
    assert.equal(
      again.requests?.follows.reduce((sum, follows) => sum + follows, 0),
      8 * 39,
    );
  });
});

describe('an open stream', () => {
  const stream = (gapMs: number, count = 100): Workload =>
    requestWork(
      many(count, (index) => ({ at: gapMs * index, jobs: [{ blocked: 10 }, { blocked: 10, after: [0] }] })),
    );

  test('is more than a size can serve when requests come faster than that, and only then', () => {
    // 20 ms of a thread for each request.
    for (const [gapMs, size, is] of [
      [21, 1, false],
      [20, 1, false],
      [19, 1, true],
      [10.1, 2, false],
      [9.9, 2, true],
      [9.9, 3, false],
      [5.1, 4, false],
      [4.9, 4, true],
    ] as const)
      assert.equal(isOverloaded(stream(gapMs), AMPLE, size, 1), is, `${size} every ${gapMs} ms`);
  });

  test('long waits beside the pool are no overload', () => {
    const slow = requestWork(many(40, (index) => ({ at: 10 * index, jobs: [{ blocked: 4 }], delay: 3000 })));
    assert.equal(isOverloaded(slow, AMPLE, 1, 1), false);
  });

  test('too much for the cores is found at every size', () => {
    const heavy = requestWork(many(60, (index) => ({ at: 4 * index, jobs: [{ cpu: 10 }] })));
    for (const size of [1, 4, 16]) assert.ok(isOverloaded(heavy, { ...AMPLE, cores: 2 }, size, 1), `${size}`);
    assert.equal(isOverloaded(heavy, { ...AMPLE, cores: 4 }, 4, 1), false);
  });

  test('with more than the cores can serve, every request is still answered', () => {
    const random = createRandom(7);
    let at = 0;
    const work = requestWork(
      many(250, () => {
        at -= 5 * Math.log(1 - random.next());
        return { at, jobs: [{ cpu: 14 }] };
      }),
    );
    for (const size of [1, 4, 16, 64])
      for (const otherCores of [0, 0.4]) {
        const machine = { ...AMPLE, cores: 2, otherCores };
        const { callbackMs } = simulate(work, { size, machine });
        assert.ok(
          callbackMs.every((ms) => ms > 0),
          `${size}`,
        );
      }
  });

  test('M/D/4 waits about half as long as M/M/4 (Cosmetatos)', () => {
    const random = createRandom(5);
    let at = 0;
    const work = requestWork(
      many(40_000, () => {
        at -= Math.log(1 - random.next()) * (10 / 3.2);
        return { at, jobs: [{ blocked: 10 }] };
      }),
    );
    const [load, servers] = [3.2, 4];
    const terms = [0, 1, 2, 3].map((k) => load ** k / ([1, 1, 2, 6][k] as number));
    const last = (load ** 4 / 24) * (servers / (servers - load));
    const erlang = last / (terms.reduce((sum, term) => sum + term, 0) + last);
    const mm = (erlang * 10) / (servers - load);
    const rho = load / servers;
    const factor =
      0.5 * (1 + ((1 - rho) * (servers - 1) * (Math.sqrt(4 + 5 * servers) - 2)) / (16 * rho * servers));
    near(measured(work, 4).latencyMs.mean - 10, mm * factor, 0.12);
  });
});

const anyRequests = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 60 }),
    jobs: fc.array(
      fc.record({ blocked: fc.integer({ min: 1, max: 20 }), after: fc.array(fc.nat(), { maxLength: 2 }) }),
      { maxLength: 5 },
    ),
    delay: fc.integer({ min: 0, max: 5 }),
  }),
  { minLength: 1, maxLength: 12 },
);
const whole = (
  list: readonly { at: number; jobs: readonly { blocked: number; after: number[] }[]; delay: number }[],
) =>
  list.map(
    ({ jobs, ...rest }): SimpleRequest => ({
      ...rest,
      jobs: jobs.map(({ blocked, after }, index) => ({
        blocked,
        after: index === 0 ? [] : [...new Set(after.map((one) => one % index))],
      })),
    }),
  );

describe('what always holds of requests', () => {
  test('a thread for every job: none waits, so that each takes its longest path, and more threads change nothing', () => {
    fc.assert(
      fc.property(anyRequests, (list) => {
        const requests = whole(list).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
        const work = requestWork(requests);
        const expected = requests.map(({ jobs, delay = 0 }) => {
          const over: number[] = [];
          for (const { blocked = 0, after = [] } of jobs)
            over.push(blocked + Math.max(0, ...after.map((one) => over[one] as number)));
          return Math.max(0, ...over) + delay;
        });
        const wide = latencies(work, 64);
        for (const [index, ms] of expected.entries()) near((wide[index] as number) + 1, ms + 1, 1e-6);
        assert.deepEqual(latencies(work, 128), wide);
        for (const size of [1, 2, 4])
          for (const [index, ms] of latencies(work, size).entries())
            assert.ok(
              ms >= (wide[index] as number) - 1e-6,
              `${ms} at ${size}, ${wide[index]} with threads for all`,
            );
      }),
    );
  });

  test('requests of one job each are never slowed down by more threads', () => {
    fc.assert(
      fc.property(anyRequests, fc.integer({ min: 1, max: 6 }), (list, size) => {
        const work = requestWork(
          whole(list)
            .map((one) => ({ ...one, jobs: one.jobs.slice(0, 1) }))
            .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)),
        );
        const fewer = latencies(work, size);
        for (const [index, ms] of latencies(work, size + 1).entries())
          assert.ok(ms <= (fewer[index] as number) + 1e-6);
      }),
    );
  });

  test('requests that have nothing to do with one another may be listed in any order', () => {
    fc.assert(
      fc.property(anyRequests, (list) => {
        // At moments of their own, so that nobody's turn is a matter of the list.
        const requests = whole(list).map((one, index) => ({ ...one, at: 1000 * index }));
        const turned = latencies(requestWork(requests.toReversed()), 2);
        assert.deepEqual(turned.toReversed(), latencies(requestWork(requests), 2));
      }),
    );
  });
});
