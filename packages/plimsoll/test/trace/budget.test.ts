import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { UsageInterval } from 'plimsoll';
import { budgetOf, timedJobs } from '#plimsoll/trace/budget.js';
import { poolUse } from '#plimsoll/trace/waits.js';
import { job } from './jobs.js';

const none = { cpuMs: 0, coreWaitMs: 0 };
const interval = (fromMs: number, cpuMs: number, coreWaitMs: number): UsageInterval => ({
  fromMs,
  toMs: fromMs + 50,
  eventLoop: none,
  pool: { cpuMs, coreWaitMs },
  other: none,
  blockedThreads: null,
});

describe('where the time of a job went', () => {
  test('the parts are never negative and add up to the whole', () => {
    const gap = fc.integer({ min: 0, max: 60_000 }).map((us) => us / 1000);
    const one = fc.record({
      submit: gap,
      queue: gap,
      service: gap,
      loop: gap,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      known: fc.boolean(),
    });
    const usage = fc.array(fc.record({ cpu: gap, waited: gap }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 20 }), usage, (jobs, looks) => {
        const traced = jobs.map(({ submit, queue, service, loop, share, known }) =>
          job(submit, {
            startMs: submit + queue,
            endMs: submit + queue + service,
            callbackMs: submit + queue + service + loop,
            cpuMs: known ? service * share : null,
          }),
        );
        const intervals = looks.map(({ cpu, waited }, index) => interval(index * 50, cpu, waited));
        for (const { parts } of timedJobs({ jobs: traced, usage: intervals })) {
          const { totalMs: total, ...rest } = parts;
          for (const part of Object.values(rest)) assert.ok(part >= -1e-9, JSON.stringify(parts));
          const sum = Object.values(rest).reduce((all, part) => all + part, 0);
          assert.ok(Math.abs(sum - total) < 1e-6, JSON.stringify(parts));
        }
      }),
    );
  });

  test('what the kernel says of waiting for a core goes to those who were off the CPU', () => {
    const worker = job(0, { startMs: 0, endMs: 50, callbackMs: 50, cpuMs: 20 });
    const idle = job(0, { startMs: 0, endMs: 50, callbackMs: 50, cpuMs: 50 });
    const [first, second] = timedJobs({ jobs: [worker, idle], usage: [interval(0, 70, 12)] });
    assert.deepEqual(
      [first?.parts.coreWaitMs, first?.parts.blockedMs, second?.parts.coreWaitMs],
      [12, 18, 0],
    );
  });

  test('CPU time that is nobody else’s goes to jobs of which none is told', () => {
    const [only] = timedJobs({ jobs: [job(0, { endMs: 40, callbackMs: 40 })], usage: [interval(0, 10, 0)] });
    assert.deepEqual([only?.parts.cpuMs, only?.parts.blockedMs], [10, 30]);
  });

  test('mean and p99', () => {
    const jobs = Array.from({ length: 101 }, (_, index) =>
      job(0, { startMs: index, endMs: 200, callbackMs: 200 }),
    );
    const budget = budgetOf(timedJobs({ jobs, usage: [] }));
    assert.deepEqual(budget?.queueWaitMs, { mean: 50, p99: 99 });
    assert.equal(budgetOf([]), null);
  });
});

test('use of the pool: when all threads were taken, and when jobs queued', () => {
  const jobs = [
    job(0, { kind: 'zlib', startMs: 0, endMs: 10, callbackMs: 10 }),
    job(0, { startMs: 0, endMs: 20, callbackMs: 20 }),
    job(5, { startMs: 10, endMs: 15, callbackMs: 30 }),
    job(9, { startMs: 15, endMs: 16, callbackMs: 16 }),
  ];
  const { behind, takenMs, saturatedMs, queuedMs, activeMs } = poolUse(jobs, 2);
  const times = { takenMs, saturatedMs, queuedMs, activeMs };
  assert.deepEqual(times, { takenMs: 36, saturatedMs: 16, queuedMs: 10, activeMs: 30 });
  assert.ok(behind.size > 0);
  assert.deepEqual(poolUse([], 2).activeMs, 0);
});
