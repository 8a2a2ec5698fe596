import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readCpuQuota } from '../dist/host/cpu-quota.js';

function rootOf(t: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'plimsoll-quota-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

const CASES: Record<string, [files: Record<string, string>, quota: number | null]> = {
  'no control groups': [{}, null],
  'version 2, in a container': [
    { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '150000 100000\n' },
    1.5,
  ],
  'version 2, no quota': [{ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': 'max 100000\n' }, null],
  'version 2, the period left out': [
    { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '200000\n' },
    2,
  ],
  'version 2, an ancestor has less': [
    {
      'proc/self/cgroup': '0::/system.slice/app.service\n',
      'sys/fs/cgroup/system.slice/app.service/cpu.max': '400000 100000\n',
      'sys/fs/cgroup/system.slice/cpu.max': '50000 100000\n',
    },
    0.5,
  ],
  'version 2, a path of the host': [
    { 'proc/self/cgroup': '0::/docker/abc\n', 'sys/fs/cgroup/cpu.max': '300000 100000\n' },
    3,
  ],
  'version 1': [
    {
      'proc/self/cgroup': '5:cpu,cpuacct:/pod/a\n3:memory:/pod/a\n',
      'sys/fs/cgroup/cpu,cpuacct/pod/a/cpu.cfs_quota_us': '250000\n',
      'sys/fs/cgroup/cpu,cpuacct/pod/a/cpu.cfs_period_us': '100000\n',
    },
    2.5,
  ],
  'version 1, no quota': [
    {
      'proc/self/cgroup': '5:cpu:/\n',
      'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    },
    null,
  ],
  'what nobody can read': [
    { 'proc/self/cgroup': 'nonsense\n0::/\n', 'sys/fs/cgroup/cpu.max': 'many of them\n' },
    null,
  ],
};

for (const [name, [files, quota]] of Object.entries(CASES)) {
  test(`the quota of cores: ${name}`, (t) => assert.equal(readCpuQuota(rootOf(t, files)), quota));
}

test('the quota of this machine is none, or some cores', () => {
  const quota = readCpuQuota();
  assert.ok(quota === null || quota > 0, String(quota));
});
