import assert from 'node:assert/strict';
import { cpus } from 'node:os';
import { test } from 'node:test';
import fc from 'fast-check';
import { countAllowedCpus, cpuCount, effectiveCpus, parseCpuinfo, readCpu } from '#plimsoll/host/cpu.js';
import { fakeRoot, linuxOnly } from './fake-root.js';

const QUOTA = (cpuMax: string) => ({
  '/proc/self/status': 'Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n',
  '/proc/self/cgroup': '0::/\n',
  '/proc/self/mountinfo': '30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
  '/sys/fs/cgroup/cpu.max': cpuMax,
});

test('effective CPUs are the lesser of affinity and quota, a fraction; the count rounds up and is at least 1', (t) => {
  const cases: [string, number, number][] = [
    ['150000 100000\n', 1.5, 2],
    ['10000 100000\n', 0.1, 1],
    ['200000 100000\n', 2, 2],
    ['6400000 100000\n', 8, 8],
    ['max 100000\n', 8, 8],
  ];
  for (const [cpuMax, effective, count] of cases) {
    const root = fakeRoot(t, QUOTA(cpuMax));
    assert.equal(effectiveCpus(root), effective);
    assert.equal(cpuCount(root), count);
  }
});

test('without /proc the logical CPUs of Node count', (t) => {
  const root = fakeRoot(t, {});
  assert.equal(effectiveCpus(root), cpus().length || 1);
});

test('cpuinfo: model and hypervisor flag, and arm64 where both are unknown', (t) => {
  const vm = 'processor\t: 0\nmodel name\t: Xeon 1\nflags\t: fpu hypervisor lahf_lm\n';
  assert.deepEqual(parseCpuinfo(vm), { model: 'Xeon 1', hypervisor: true });
  assert.deepEqual(parseCpuinfo('flags\t: fpu ht\n'), { model: null, hypervisor: false });
  const arm = 'processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n';
  assert.deepEqual(parseCpuinfo(arm), { model: null, hypervisor: null });
  assert.equal(readCpu(fakeRoot(t, { '/proc/cpuinfo': vm })).model, 'Xeon 1');
});

test('affinity masks', () => {
  assert.equal(countAllowedCpus('Cpus_allowed:\tff,0000000f\n'), 12);
  assert.equal(countAllowedCpus('Cpus_allowed_list:\t0-3\n'), null);
  assert.equal(countAllowedCpus('Cpus_allowed:\t0\n'), null);
});

test('a mask counts as many CPUs as it has bits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n }), (mask) => {
      const hex = mask.toString(16).replace(/(?=(?:.{8})+$)(?!^)/g, ',');
      const bits = [...mask.toString(2)].filter((bit) => bit === '1').length;
      assert.equal(countAllowedCpus(`Cpus_allowed:\t${hex}\n`), bits);
    }),
  );
});

test('no text makes the parsers throw', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const parse of [parseCpuinfo, countAllowedCpus]) parse(text);
      countAllowedCpus(`Cpus_allowed: ${text}`);
    }),
  );
});

test('this machine: at least one CPU, and no more than there are', linuxOnly, () => {
  assert.ok(effectiveCpus() > 0);
  assert.ok(cpuCount() >= 1 && cpuCount() <= cpus().length);
});
