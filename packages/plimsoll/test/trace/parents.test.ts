import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '#plimsoll/stats/random.js';
import { parents } from '#plimsoll/trace/parents.js';
import { job } from './jobs.js';

const random = createRandom(7);
/** A whole number of microseconds, in milliseconds. */
const between = (least: number, most: number): number => random.integer(least * 1000, most * 1000) / 1000;

describe('which job followed from which', () => {
  test('each job of a chain follows from the one before', () => {
    const chain = [job(0)];
    for (let index = 1; index < 200; index++)
      chain.push(job((chain.at(-1)?.callbackMs ?? 0) + between(0.02, 0.2)));
    const found = parents(chain);
    assert.deepEqual(found, [null, ...chain.slice(1).map((_, index) => index)]);
  });

  test('jobs from outside, whenever they come, follow from nothing', () => {
    const arrivals: ReturnType<typeof job>[] = [];
    for (let at = 0; arrivals.length < 500; at += between(0, 8)) arrivals.push(job(at));
    assert.ok(parents(arrivals).every((parent) => parent === null));
  });

  test('of two kinds the one is a chain and the other is not', () => {
    const jobs: ReturnType<typeof job>[] = [];
    for (let at = 0; jobs.length < 600; at += between(0, 12)) {
      const open = job(at, { kind: 'fs.open' });
      jobs.push(open, job(open.callbackMs + between(0.01, 0.1), { kind: 'fs.read' }));
    }
    jobs.sort((a, b) => a.submitMs - b.submitMs);
    const found = parents(jobs);
    const followers = jobs.flatMap(({ kind }, index) => (found[index] === null ? [] : [kind]));
    assert.ok(followers.every((kind) => kind === 'fs.read'));
    assert.ok(followers.length >= 290, `${followers.length} of 300`);
  });

  test('a completion on another loop is nobody’s parent', () => {
    const jobs = [job(0)];
    for (let index = 1; index < 100; index++)
      jobs.push(job((jobs.at(-1)?.callbackMs ?? 0) + 0.05, { loopThread: index + 1 }));
    assert.ok(parents(jobs).every((parent) => parent === null));
  });

  test('jobs submitted in one callback share their parent', () => {
    const jobs: ReturnType<typeof job>[] = [];
    for (let round = 0; round < 50; round++) {
      const at = round * 20 + between(0, 5);
      const first = job(at);
      jobs.push(first, ...[0.02, 0.04, 0.06].map((gap) => job(first.callbackMs + gap, { kind: 'zlib' })));
    }
    const found = parents(jobs);
    for (let round = 0; round < 50; round++)
      assert.deepEqual(found.slice(4 * round, 4 * round + 4), [null, 4 * round, 4 * round, 4 * round]);
  });

  test('chains are seen on an event loop that is never idle, where any gap is short', () => {
    // Of 16 chains one after the other has its callback: it submits its next job late in it, and so every gap is short.
    const last = Array.from({ length: 16 }, () => 0);
    const jobs: ReturnType<typeof job>[] = [];
    const parentOf: (number | null)[] = [];
    const index: (number | null)[] = last.map(() => null);
    let now = 0;
    for (let turn = 0; turn < 1600; turn++) {
      const chain = turn % 16;
      const callbackMs = now;
      now += between(0.05, 0.06);
      if (index[chain] !== null)
        jobs[index[chain] as number] = job(last[chain] as number, { callbackMs, endMs: callbackMs });
      parentOf.push(index[chain] as number | null);
      last[chain] = now - 0.006;
      index[chain] = jobs.push(job(last[chain] as number, { callbackMs: now + 1, endMs: now + 1 })) - 1;
    }
    const found = parents(jobs);
    const right = found.filter((parent, at) => parent === parentOf[at]).length;
    assert.ok(right > 0.9 * jobs.length, `${right} of ${jobs.length}`);
  });

  test('timers that fire on the same whole milliseconds as what ends jobs do not make chains', () => {
    const arrivals: ReturnType<typeof job>[] = [];
    for (let at = 0; arrivals.length < 800; at += random.integer(1, 4)) {
      const ends = at + random.integer(5, 7);
      arrivals.push(job(at + between(0.06, 0.12), { endMs: ends, callbackMs: ends + between(0.01, 0.05) }));
    }
    const followers = parents(arrivals).filter((parent) => parent !== null).length;
    assert.equal(followers, 0);
  });

  test('a handful of jobs that happen to follow one another are no chain', () => {
    for (let round = 0; round < 50; round++) {
      const jobs: ReturnType<typeof job>[] = [];
      for (let at = 0; jobs.length < 12; at += between(0, 3)) jobs.push(job(at));
      const followers = parents(jobs).filter((parent) => parent !== null).length;
      assert.equal(followers, 0, `round ${round}`);
    }
  });

  test('timers of a loop that was kept from its core follow from nothing', () => {
    // It gets its core at random moments; then timers that are due and completions come together, in either order.
    const arrivals: ReturnType<typeof job>[] = [];
    for (let at = 0; arrivals.length < 600; at += between(4, 30)) {
      const timersFirst = random.next() < 0.5;
      const timer = timersFirst ? at : at + 0.03;
      const taken = timersFirst ? at + 0.03 : at;
      const lasts = between(5, 60);
      const before = arrivals.at(-1);
      if (before !== undefined)
        arrivals[arrivals.length - 1] = { ...before, endMs: taken, callbackMs: taken };
      arrivals.push(job(timer, { endMs: timer + lasts, callbackMs: timer + lasts }));
    }
    const followers = parents(arrivals).filter((parent) => parent !== null).length;
    assert.equal(followers, 0);
  });
});
