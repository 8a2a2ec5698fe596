import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  disturbancesOf,
  type MachineCounters,
  type MachineNoise,
  machineNoise,
  parseCpuTimes,
  parsePressure,
  readMachineCounters,
} from '#plimsoll/host/noise.js';
import { fakeRoot, linuxOnly } from './fake-root.js';

const QUIET: MachineNoise = {
  cpus: 2,
  stealShare: 0,
  psiIoShare: 0,
  otherCpuCores: 0.01,
};
const START: MachineCounters = {
  atMs: 1000,
  cpus: 2,
  stealJiffies: 0,
  busyJiffies: 1000,
  totalJiffies: 5000,
  psiIoSomeUs: 0,
};

test('the counters of a fake machine', (t) => {
  const root = fakeRoot(t, {
    '/proc/stat': 'cpu  100 10 50 800 20 5 7 8 60 0\ncpu0 1 1 1\ncpu1 1 1 1\nintr 5\n',
    '/proc/pressure/io': 'some avg10=0.00 total=22\nfull avg10=0.00 total=21\n',
  });
  const { atMs, ...counters } = readMachineCounters(root);
  assert.ok(atMs > 0);
  assert.deepEqual(counters, {
    cpus: 2,
    stealJiffies: 8,
    busyJiffies: 160,
    totalJiffies: 1000,
    psiIoSomeUs: 22,
  });
});

test('two seconds on two cores: shares of CPU time, shares of elapsed time, and what others used', () => {
  const after: MachineCounters = {
    ...START,
    atMs: 3000,
    stealJiffies: 20,
    busyJiffies: 1300,
    totalJiffies: 5400,
    psiIoSomeUs: 100_000,
  };
  assert.deepEqual(machineNoise(START, after, 2.5), {
    cpus: 2,
    stealShare: 0.05,
    psiIoShare: 0.05,
    // 300 of 400 jiffies on 2 cores are 1.5 cores busy; 2.5 s of 2 s are 1.25 cores of our own.
    otherCpuCores: 0.25,
  });
  assert.equal(machineNoise(START, after, null).otherCpuCores, null);
});

test('what is unknown stays unknown, and a counter that steps back is no noise', () => {
  const unknown = machineNoise({ ...START, stealJiffies: null }, { ...START, atMs: 2000 }, 1);
  assert.deepEqual(unknown, {
    cpus: 2,
    stealShare: null,
    psiIoShare: 0,
    otherCpuCores: null,
  });
  const back = machineNoise(START, { ...START, atMs: 2000, totalJiffies: 5200, busyJiffies: 990 }, 0);
  assert.equal(back.otherCpuCores, 0);
});

test('steal and other load', () => {
  assert.deepEqual(disturbancesOf({ ...QUIET, stealShare: 0.02, otherCpuCores: 0.3 }), [
    'steal',
    'other-load',
  ]);
  assert.deepEqual(disturbancesOf(QUIET), []);
});

test('the limits themselves do not mark; a larger machine bears more load', () => {
  assert.deepEqual(disturbancesOf({ ...QUIET, stealShare: 0.01, otherCpuCores: 0.15 }), []);
  assert.deepEqual(disturbancesOf({ ...QUIET, otherCpuCores: 0.16 }), ['other-load']);
  assert.deepEqual(disturbancesOf({ ...QUIET, cpus: 64, otherCpuCores: 3 }), []);
  assert.deepEqual(disturbancesOf({ ...QUIET, cpus: 64, otherCpuCores: 3.3 }), ['other-load']);
});

test('unknown values never mark', () => {
  const nothing: MachineNoise = {
    cpus: null,
    stealShare: null,
    psiIoShare: null,
    otherCpuCores: null,
  };
  assert.deepEqual(disturbancesOf(nothing), []);
});

test('old kernels print fewer columns; other texts are unknown', () => {
  assert.deepEqual(parseCpuTimes('cpu 1 2 3 4\n'), {
    cpus: null,
    stealJiffies: null,
    busyJiffies: 6,
    totalJiffies: 10,
  });
  assert.equal(parseCpuTimes('cpu0 1 2 3 4\n').totalJiffies, null);
  assert.equal(parsePressure('full total=3\n'), null);
});

test('no text makes the parsers throw, and shares stay between 0 and 1', () => {
  const count = fc.option(fc.nat(10_000), { nil: null });
  const counters = fc.record({
    atMs: fc.nat(10_000),
    cpus: count,
    stealJiffies: count,
    busyJiffies: count,
    totalJiffies: count,
    psiIoSomeUs: count,
  });
  fc.assert(
    fc.property(fc.string(), counters, counters, count, (text, before, after, own) => {
      parseCpuTimes(`cpu ${text}`);
      parsePressure(`some ${text}`);
      const noise = machineNoise(before, after, own);
      for (const key of ['stealShare', 'psiIoShare'] as const) {
        const value = noise[key];
        assert.ok(value === null || (value >= 0 && value <= 1));
      }
      assert.ok(noise.otherCpuCores === null || noise.otherCpuCores >= 0);
      disturbancesOf(noise);
    }),
  );
});

test('this machine: half a second of our own work is not booked to others', linuxOnly, () => {
  const usage = process.cpuUsage();
  const ownSeconds = (): number => {
    const { user, system } = process.cpuUsage(usage);
    return (user + system) / 1e6;
  };
  const before = readMachineCounters();
  while (ownSeconds() < 0.5);
  const own = ownSeconds();
  const after = readMachineCounters();
  const noise = machineNoise(before, after, own);
  assert.ok(noise.cpus !== null && noise.otherCpuCores !== null);
  // Others may be busy here; but if our own half second were booked to them, all of it would be in the difference.
  const blamed = machineNoise(before, after, 0).otherCpuCores ?? 0;
  const seconds = (after.atMs - before.atMs) / 1000;
  const expected = Math.max(0, blamed - own / seconds);
  assert.ok(Math.abs(noise.otherCpuCores - expected) < 1e-9);
  assert.ok(blamed * seconds > 0.3, `a busy loop shows in /proc/stat: ${blamed} cores for ${seconds} s`);
});
