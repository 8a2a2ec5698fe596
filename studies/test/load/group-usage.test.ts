import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readGroupUsage } from '#studies/load/target/group-usage.js';

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
    while ((readGroupUsage(pid)?.cpuSeconds ?? 0) < 0.3) await sleep(20);
    const usage = readGroupUsage(pid);
    assert.equal(usage?.pids.length, 2);
    assert.ok((usage?.maxRssBytes ?? 0) > 20 * 2 ** 20);
  } finally {
    process.kill(-pid, 'SIGKILL');
  }
});
