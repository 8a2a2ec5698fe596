import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { endedChildrenSeconds, readGroupUsage } from '#plimsoll/host/group-usage.js';
import { until } from '../support/cli.js';
import { fakeRoot } from './fake-root.js';

test('fields are counted from behind the name, which may hold brackets and spaces', (t) => {
  const rest = 'S 1 77 7 0 -1 0 0 0 0 0 12 3 0 0 20 0 1 0 99';
  const root = fakeRoot(t, {
    '/proc/8/stat': `8 (a) b) (c) ${rest}`,
    '/proc/8/status': 'VmHWM:\t 3 kB\n',
    '/proc/9/stat': '9 (a) S 1',
    '/proc/10/stat': '',
  });
  assert.deepEqual(readGroupUsage(77, root), { pids: [8], cpuSeconds: 0.15, maxRssBytes: 3072 });
});

test('no /proc: not known', () => {
  assert.equal(readGroupUsage(1, '/nonexistent'), null);
});

test('a group is its leader and what that started, and what they used', {
  skip: process.platform !== 'linux',
}, async () => {
  const busy = 'while (process.cpuUsage().user < 4e5); setInterval(() => {}, 1000)';
  const child = spawn('sh', ['-c', `"${process.execPath}" -e "${busy}" & wait`], { detached: true });
  const { pid } = child as { pid: number };
  try {
    await until(() => (readGroupUsage(pid)?.cpuSeconds ?? 0) >= 0.3);
    const usage = readGroupUsage(pid);
    assert.equal(usage?.pids.length, 2);
    assert.ok((usage?.maxRssBytes ?? 0) > 20 * 2 ** 20);
  } finally {
    process.kill(-pid, 'SIGKILL');
  }
});

test('what a command used, with its own children, is known when it has ended', {
  skip: process.platform !== 'linux',
}, async () => {
  const before = endedChildrenSeconds() ?? Number.NaN;
  const busy = 'while (process.cpuUsage().user < 4e5);';
  const child = spawn('sh', ['-c', `"${process.execPath}" -e "${busy}"; true`]);
  await once(child, 'exit');
  const used = (endedChildrenSeconds() ?? Number.NaN) - before;
  assert.ok(used >= 0.4, `${used} s`);
  assert.equal(endedChildrenSeconds('/nonexistent'), null);
});
