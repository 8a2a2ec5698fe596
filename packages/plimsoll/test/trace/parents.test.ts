import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from 'plimsoll';
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
      jobs.push(job((jobs.at(-1)?.callbackMs ?? 0) + 0.05, { loop: index + 1 }));
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
});
