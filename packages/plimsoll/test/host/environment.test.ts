import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { captureEnvironment, parseChoice, parseLibc, parseMaxProcesses } from '#plimsoll/host/environment.js';
import { fakeRoot, linuxOnly } from './fake-root.js';

/** A machine whose every file holds something that must not be published. */
const SECRETS = {
  '/etc/resolv.conf':
    'nameserver 10.1.2.3\nnameserver fd00::5\nsearch corp.secret lan.secret\noptions ndots:5 edns0\n',
  '/etc/nsswitch.conf': 'passwd: files\nhosts:\t files  dns # secret\n',
  '/proc/self/cgroup': '0::/user.slice/secret\n',
  '/proc/self/mountinfo':
    '27 1 0:9 / / rw - nfs4 secret.example:/home/secret rw\n30 27 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
  '/proc/self/maps': '7f00-7f01 r-xp 0 fe:00 1    /lib/ld-musl-x86_64.so.1\n',
  '/proc/self/limits': 'Max processes             500                  1000                 processes\n',
  '/proc/self/status': 'Cpus_allowed:\t3\n',
  '/proc/pressure/cpu': 'some total=1\n',
  '/proc/cpuinfo': 'processor\t: 0\nmodel name\t: Xeon\n',
  '/sys/fs/cgroup/user.slice/cpu.max': '50000 100000\n',
  '/sys/fs/cgroup/user.slice/secret/cpu.max': 'max 100000\n',
  '/sys/kernel/mm/transparent_hugepage/enabled': 'always [madvise] never\n',
  '/sys/class/power_supply/AC/online': '0\n',
  '/sys/class/power_supply/BAT0/status': 'Discharging\n',
  '/sys/class/power_supply/mouse/scope': 'Device\n',
  '/sys/class/power_supply/mouse/status': 'Charging\n',
  '/sys/class/thermal/thermal_zone0/temp': '41000\n',
  '/sys/class/thermal/thermal_zone1/temp': '67500\n',
  '/.dockerenv': '',
};

test('a fake machine in full, and nothing secret in it', linuxOnly, (t) => {
  const env = {
    NODE_OPTIONS: '--require "/home/secret/set it.cjs" --max-old-space-size=64 --title=secret',
    UV_THREADPOOL_SIZE: '',
    SECRET: 'secret',
  };
  const captured = captureEnvironment({ directory: '/home/secret', env, root: fakeRoot(t, SECRETS) });
  assert.equal(captured.node.nodeOptions, '--require <value> --max-old-space-size=64 --title=<value>');
  assert.equal(captured.node.uvThreadpoolSize, '');
  assert.equal(captured.node.uvUseIoUring, null);
  assert.equal(captured.node.libuv, process.versions.uv);
  assert.equal(captured.os.libc, 'musl');
  assert.equal(captured.os.container, 'docker');
  assert.equal(captured.os.psi, true);
  assert.equal(captured.os.transparentHugepages, 'madvise');
  assert.equal(captured.os.onBattery, true);
  assert.equal(captured.os.hottestCelsius, 67.5);
  assert.equal(captured.cpu.effectiveCpus, 0.5);
  assert.equal(captured.cpu.cpuCount, 1);
  assert.equal(captured.limits.maxUserProcesses, 500);
  assert.deepEqual(captured.filesystem, { type: 'nfs4', device: null, isMemory: false });
  assert.deepEqual(captured.resolver, {
    nameservers: 2,
    isLocal: false,
    searchDomains: 2,
    options: 'ndots:5 edns0',
    hosts: 'files dns',
  });
  const text = JSON.stringify(captured);
  for (const leak of ['secret', '10.1.2.3', 'fd00', '/home']) assert.ok(!text.includes(leak), leak);
});

test('two levels of simple values that survive JSON', () => {
  const captured = captureEnvironment({ directory: tmpdir() });
  assert.deepEqual(JSON.parse(JSON.stringify(captured)), captured);
  assert.deepEqual(Object.keys(captured), ['node', 'os', 'cpu', 'limits', 'filesystem', 'resolver']);
  for (const group of Object.values(captured)) {
    for (const [key, value] of Object.entries(group)) {
      assert.ok(value === null || ['string', 'number', 'boolean'].includes(typeof value), key);
    }
  }
});

test('an empty machine gives nulls', (t) => {
  const { os, limits, filesystem, resolver } = captureEnvironment({
    directory: '/',
    env: {},
    root: fakeRoot(t, {}),
  });
  for (const key of ['libc', 'container', 'transparentHugepages', 'onBattery', 'hottestCelsius'] as const) {
    assert.equal(os[key], null, key);
  }
  assert.equal(os.psi, false);
  for (const group of [limits, filesystem, resolver]) {
    assert.deepEqual(new Set(Object.values(group)), new Set([null]));
  }
});

test('containers are told by cheap hints', (t) => {
  const hint = (files: Record<string, string>, env = {}) =>
    captureEnvironment({ directory: '/', env, root: fakeRoot(t, files) }).os.container;
  assert.equal(hint({ '/.dockerenv': '' }, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }), 'kubernetes');
  assert.equal(hint({ '/proc/self/cgroup': '5:cpu:/kubepods/burstable/pod1\n' }), 'kubernetes');
  assert.equal(hint({ '/run/.containerenv': '' }), 'podman');
  assert.equal(hint({ '/proc/self/cgroup': '0::/system.slice/docker-abc.scope\n' }), 'docker');
  assert.equal(hint({ '/run/systemd/container': 'lxc\n' }), 'lxc');
  assert.equal(hint({ '/run/systemd/container': 'systemd-nspawn\n' }), 'other');
});

test('a plugged-in charger beats a battery that says otherwise', (t) => {
  const supply = '/sys/class/power_supply';
  const battery = (files: Record<string, string>) =>
    captureEnvironment({ directory: '/', env: {}, root: fakeRoot(t, files) }).os.onBattery;
  assert.equal(
    battery({ [`${supply}/AC/online`]: '1\n', [`${supply}/BAT0/status`]: 'Discharging\n' }),
    false,
  );
  assert.equal(
    battery({ [`${supply}/ZAC/online`]: '1\n', [`${supply}/BAT0/status`]: 'Discharging\n' }),
    false,
  );
  assert.equal(battery({ [`${supply}/BAT0/status`]: 'Full\n' }), false);
  const mouse = { [`${supply}/mouse/scope`]: 'Device\n', [`${supply}/mouse/status`]: 'Discharging\n' };
  assert.equal(battery(mouse), null);
});

test('limits, C libraries and choices', () => {
  assert.equal(
    parseMaxProcesses('Max processes             unlimited            unlimited            processes\n'),
    null,
  );
  assert.equal(parseLibc('7f r-xp 0 fe:00 1 /usr/lib/libc.so.6\n'), 'glibc');
  assert.equal(parseLibc('7f r-xp 0 fe:00 1 /lib/libc-2.31.so\n'), 'glibc');
  assert.equal(parseLibc('7f r-xp 0 fe:00 1 /home/me/libc.so.6/other\n'), null);
  assert.equal(parseChoice('always madvise [never]\n'), 'never');
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const parse of [parseMaxProcesses, parseLibc, parseChoice]) parse(text);
    }),
  );
});

test('this machine: captured quickly, with no host name, user name or home in it', linuxOnly, () => {
  const from = performance.now();
  const captured = captureEnvironment({ directory: homedir() });
  assert.ok(performance.now() - from < 1000);
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
