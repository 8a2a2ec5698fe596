import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { captureEnvironment } from '#plimsoll/host/environment.js';
import { fakeRoot, linuxOnly } from './fake-root.js';

/** A machine whose every file holds something that must not be published. */
const SECRETS = {
  '/proc/self/cgroup': '0::/user.slice/secret\n',
  '/proc/self/mountinfo':
    '27 1 0:9 / / rw - nfs4 secret.example:/home/secret rw\n30 27 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
  '/proc/self/status': 'Cpus_allowed:\t3\n',
  '/proc/cpuinfo': 'processor\t: 0\nmodel name\t: Xeon\n',
  '/sys/fs/cgroup/user.slice/cpu.max': '50000 100000\n',
  '/sys/fs/cgroup/user.slice/secret/cpu.max': 'max 100000\n',
  '/sys/fs/cgroup/user.slice/secret/pids.max': '20\n',
  '/sys/fs/cgroup/user.slice/secret/pids.current': '8\n',
};

test('a fake machine in full, and nothing secret in it', linuxOnly, (t) => {
  const env = {
    NODE_OPTIONS: '--require "/home/secret/set it.cjs" --max-old-space-size=64 --title=secret',
    SECRET: 'secret',
  };
  const captured = captureEnvironment({ directory: '/home/secret', env, root: fakeRoot(t, SECRETS) });
  assert.equal(captured.node.nodeOptions, '--require <value> --max-old-space-size=64 --title=<value>');
  assert.equal(captured.node.libuv, process.versions.uv);
  assert.deepEqual(captured.cpu, { model: 'Xeon', hypervisor: null, effectiveCpus: 0.5 });
  assert.deepEqual(captured.limits, { cpuQuotaCores: 0.5, pidsHeadroom: 12 });
  const text = JSON.stringify(captured);
  for (const leak of ['secret', '/home']) assert.ok(!text.includes(leak), leak);
});

test('two levels of simple values that survive JSON', () => {
  const captured = captureEnvironment({ directory: tmpdir() });
  assert.deepEqual(JSON.parse(JSON.stringify(captured)), captured);
  assert.deepEqual(Object.keys(captured), ['node', 'os', 'cpu', 'limits', 'filesystem']);
  for (const group of Object.values(captured)) {
    for (const [key, value] of Object.entries(group)) {
      assert.ok(value === null || ['string', 'number', 'boolean'].includes(typeof value), key);
    }
  }
});

test('an empty machine gives nulls', (t) => {
  const { limits, filesystem } = captureEnvironment({
    directory: '/nowhere',
    env: {},
    root: fakeRoot(t, {}),
  });
  for (const group of [limits, filesystem]) assert.deepEqual(new Set(Object.values(group)), new Set([null]));
});

test('this machine: captured quickly, with no host name, user name or home in it', linuxOnly, () => {
  const [from, used] = [performance.now(), process.cpuUsage()];
  const captured = captureEnvironment({ directory: homedir() });
  const { user, system } = process.cpuUsage(used);
  assert.ok(user + system < 1e6, 'no more than some files are read');
  // Nothing is waited for: a crowded machine alone does not need so long.
  assert.ok(performance.now() - from < 30_000);
  assert.equal(captured.node.version, process.versions.node);
  assert.ok(captured.filesystem.type);
  const texts = Object.values(captured).flatMap((group) =>
    Object.values(group).filter((value) => typeof value === 'string'),
  );
  // Whole values only: a machine may be called "node" and its user "linux".
  for (const secret of [hostname(), userInfo().username, homedir()]) {
    assert.ok(!texts.includes(secret), `${secret} is published`);
  }
  assert.ok(texts.every((text) => !text.includes('/home/') && !/\d+\.\d+\.\d+\.\d+\/|:\/\//.test(text)));
});

test('no reader of this floor starts the pool', linuxOnly, () => {
  const load = (name: string) =>
    `require(${JSON.stringify(fileURLToPath(import.meta.resolve(`#plimsoll/host/${name}.js`)))})`;
  const child = spawnSync(
    process.execPath,
    [
      '-e',
      `const { listThreads, diffPoolThreads } = ${load('pool-threads')};
      const { captureEnvironment } = ${load('environment')};
      const { readMachineCounters } = ${load('noise')};
      const { startTime } = ${load('processes')};
      const before = listThreads();
      captureEnvironment({ directory: '.' });
      readMachineCounters();
      startTime(process.pid);
      const read = diffPoolThreads(before, listThreads()).length;
      require('node:fs').stat('/', () => console.log(read, diffPoolThreads(before, listThreads()).length));`,
    ],
    {
      env: { ...process.env, UV_THREADPOOL_SIZE: '3', UV_USE_IO_URING: '0', NODE_OPTIONS: '' },
      encoding: 'utf8',
    },
  );
  assert.equal(child.stdout.trim(), '0 3');
});
