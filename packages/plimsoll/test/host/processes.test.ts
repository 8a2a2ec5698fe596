import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  endedChildrenSeconds,
  hasEnded,
  isSameProcess,
  processesWithEnvironment,
  startTime,
} from '#plimsoll/host/processes.js';
import { statFields } from '#plimsoll/host/read.js';
import { fakeRoot, linuxOnly } from './fake-root.js';

const FIELDS_3_TO_25 =
  'S 1 7 7 0 -1 4194560 100 0 0 0 5 6 0 0 20 0 11 0 123456 700000 900 18446744073709551615';

test('field 22 is found whatever the program is called', () => {
  for (const name of ['node', 'a b', '(x)', ') S 1 2 3', '']) {
    const fields = statFields(`7 (${name}) ${FIELDS_3_TO_25}\n`);
    assert.deepEqual([fields[2], fields[3], fields[22]], [name, 'S', '123456']);
  }
  for (const odd of ['', '7', '7 (node', '7 (node) S 1', '7 (node) S'])
    assert.equal(statFields(odd)[22], undefined);
});

test('no name hides the start time, and no text makes the parser throw', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      statFields(text);
      assert.equal(statFields(`7 (${text}) ${FIELDS_3_TO_25}`)[22], '123456');
    }),
  );
});

test('a process is the same only if its start time is known and equal', (t) => {
  const root = fakeRoot(t, { '/proc/7/stat': `7 (node) ${FIELDS_3_TO_25}\n` });
  assert.equal(isSameProcess(7, 123456, root), true);
  assert.equal(isSameProcess(7, 123457, root), false);
  assert.equal(isSameProcess(7, null, root), false);
  assert.equal(isSameProcess(8, null, root), false);
  assert.equal(isSameProcess(8, 123456, root), false);
});

test('a real child is itself until it is gone', linuxOnly, async (t) => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  t.after(() => child.kill('SIGKILL'));
  assert.ok(child.pid);
  const started = startTime(child.pid);
  assert.ok(started !== null && started >= (startTime(process.pid) ?? 0));
  assert.equal(isSameProcess(child.pid, started), true);
  child.stdin.end();
  await once(child, 'exit');
  assert.equal(isSameProcess(child.pid, started), false);
});

test('processes are found by their environment', (t) => {
  const root = fakeRoot(t, {
    '/proc/7/environ': 'A=1\0PM2_HOME=/tmp/x-1/pm2\0',
    '/proc/8/environ': 'A=/tmp/x-2\0',
    '/proc/9/cmdline': '/tmp/x-1',
    '/proc/self/environ': 'A=/tmp/x-1',
  });
  assert.deepEqual(processesWithEnvironment(['/tmp/x-1'], root), [7]);
  assert.deepEqual(processesWithEnvironment(['/tmp/x-1', '/tmp/x-2'], root), [7, 8]);
  assert.deepEqual(processesWithEnvironment([], root), []);
});

test('a zombie has ended', (t) => {
  const zombie = FIELDS_3_TO_25.replace('S', 'Z');
  const root = fakeRoot(t, {
    '/proc/7/stat': `7 (node) ${FIELDS_3_TO_25}\n`,
    '/proc/8/stat': `8 (a) Z b) ${zombie}\n`,
  });
  assert.deepEqual([hasEnded(7, root), hasEnded(8, root), hasEnded(9, root)], [false, true, false]);
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
