import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import {
  disturbancesOf,
  type MachineNoise,
  machineNoise,
  readMachineCounters,
  throttledPeriods,
} from '@plimsoll/lab';

const QUIET: MachineNoise = {
  ...{ cpus: 2, stealShare: 0, otherCpuCores: 0.01 },
  ...{ psiCpuShare: 0.1, psiIoShare: 0, psiMemoryShare: 0, throttled: 0 },
};

test('steal and other load count at once, pressure and throttling need a history', () => {
  const loud: MachineNoise = {
    ...{ cpus: 2, stealShare: 0.02, otherCpuCores: 0.3 },
    ...{ psiCpuShare: 0.9, psiIoShare: 0.9, psiMemoryShare: 0.9, throttled: 9 },
  };
  const outside = ['steal', 'other-load'];
  assert.deepEqual(disturbancesOf(loud, []), outside);
  const risen = ['psi-cpu', 'psi-io', 'psi-memory', 'throttled'];
  assert.deepEqual(disturbancesOf(loud, [QUIET]), [...outside, ...risen]);
  assert.deepEqual(disturbancesOf(loud, [loud, QUIET, loud]), outside);
  assert.deepEqual(disturbancesOf(QUIET, [QUIET, loud]), []);
});

test('a rise must stand out from how the earlier runs differ among themselves', () => {
  const runs = (shares: number[]) => shares.map((psiCpuShare) => ({ ...QUIET, psiCpuShare }));
  const risen = { ...QUIET, psiCpuShare: 0.58 };
  assert.deepEqual(disturbancesOf(risen, runs([0.5, 0.5, 0.5, 0.51])), ['psi-cpu']);
  assert.deepEqual(disturbancesOf(risen, runs([0.4, 0.45, 0.5, 0.55, 0.6])), []);
  assert.deepEqual(disturbancesOf({ ...QUIET, psiCpuShare: 0.54 }, runs([0.5, 0.5, 0.5])), []);
  // One odd run in the history does not hide the next one.
  assert.deepEqual(disturbancesOf(risen, runs([0.5, 0.5, 0.99])), ['psi-cpu']);
  assert.deepEqual(disturbancesOf({ ...QUIET, throttled: 1 }, [QUIET]), []);
  assert.deepEqual(disturbancesOf({ ...QUIET, throttled: 2 }, [QUIET]), ['throttled']);
});

test('shares of the elapsed time', () => {
  const before = { ...readMachineCounters('/nowhere'), atMs: 1000, psiCpuSomeUs: 0, nrThrottled: 4 };
  const after = { ...before, atMs: 3000, psiCpuSomeUs: 500_000, nrThrottled: 9 };
  const { psiCpuShare, psiMemoryShare, throttled } = machineNoise(before, after, null);
  assert.deepEqual(
    { psiCpuShare, psiMemoryShare, throttled },
    { psiCpuShare: 0.25, psiMemoryShare: null, throttled: 5 },
  );
});

test('periods of a quota are those of all cgroups above, too', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'plimsoll-noise-'));
  t.after(() => rmSync(root, { recursive: true }));
  const files = {
    '/proc/self/cgroup': '0::/web/worker\n',
    '/proc/self/mountinfo': '30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
    '/sys/fs/cgroup/web/cpu.stat': 'nr_throttled_x 1\nnr_throttled 3\n',
    '/sys/fs/cgroup/web/worker/cpu.stat': 'nr_periods 9\nnr_throttled 4\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  assert.equal(throttledPeriods(root), 7);
  assert.equal(throttledPeriods('/nowhere'), null);
});
