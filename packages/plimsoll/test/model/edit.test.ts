import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faster, onInstances, withoutJobs } from '#plimsoll/model/edit.js';
import { baseSliceMs } from '#plimsoll/model/machine.js';
import { workloadOf } from '../support/workload.js';

describe('edits', () => {
  const work = workloadOf([
    { at: 1, cpu: 2 },
    { parent: 0, cpu: 4, blocked: 6 },
    { parent: 1, at: 3, cpu: 1 },
    { at: 9 },
  ]);

  test('who followed a job that is gone follows what that one followed', () => {
    const left = withoutJobs(work, (job) => job !== 1);
    assert.deepEqual([...(left?.parent ?? [])], [-1, 0, -1]);
    assert.deepEqual([...(left?.atMs ?? [])], [1, 3, 9]);
    assert.equal(
      withoutJobs(work, () => false),
      null,
    );
  });

  test('without the first of a chain the next one comes from outside', () => {
    const left = withoutJobs(work, (job) => job !== 0);
    assert.deepEqual([...(left?.parent ?? [])], [-1, 0, -1]);
    assert.equal(left?.atMs[0], 1);
  });

  test('faster divides CPU and blocked time', () => {
    const quick = faster(work, (job) => job === 1, 2);
    assert.deepEqual([quick.cpuMs[1], quick.blockedMs[1], quick.cpuMs[0]], [2, 3, 2]);
  });

  test('instances take what comes from outside in turn, and keep chains together', () => {
    const two = onInstances(work, 2);
    assert.deepEqual([...two.loop], [0, 0, 0, 1]);
    assert.deepEqual([...two.loopProcess], [0, 1]);
  });
});

test('the base slice of the kernel', () => {
  assert.deepEqual(
    [1, 2, 4, 8, 64].map((cpus) => Math.round(10 * baseSliceMs(cpus)) / 10),
    [0.7, 1.4, 2.1, 2.8, 2.8],
  );
});
