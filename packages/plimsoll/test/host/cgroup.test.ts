import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  directoriesUnder,
  parseCgroupMembership,
  parseCpuMax,
  parseLimit,
  parseMountinfo,
  readCgroup,
} from '#plimsoll/host/cgroup.js';
import { fakeRoot, linuxOnly } from './fake-root.js';

const V2_MOUNT = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n';
const v1Mount = (controllers: string, root = '/') =>
  `40 31 0:34 ${root} /sys/fs/cgroup/${controllers} rw - cgroup cgroup rw,${controllers}\n`;
const EMPTY = { cpuQuotaCores: null, pidsHeadroom: null };

test('v2: the tightest of all ancestors holds, throttling is summed', (t) => {
  const at = '/sys/fs/cgroup/app.slice';
  const root = fakeRoot(t, {
    '/proc/self/cgroup': '0::/app.slice/web.service/worker\n',
    '/proc/self/mountinfo': V2_MOUNT,
    [`${at}/cpu.max`]: '150000 100000\n',
    [`${at}/cpu.stat`]: 'usage_usec 5\nnr_periods 9\nnr_throttled 4\nthrottled_usec 100\n',
    [`${at}/pids.max`]: '1000\n',
    [`${at}/pids.current`]: '990\n',
    [`${at}/web.service/cpu.max`]: '400000 100000\n',
    [`${at}/web.service/cpu.stat`]: 'nr_throttled 3\n',
    [`${at}/web.service/pids.max`]: '100\n',
    [`${at}/web.service/pids.current`]: '20\n',
    [`${at}/web.service/worker/cpu.max`]: 'max 100000\n',
    [`${at}/web.service/worker/pids.max`]: 'max\n',
  });
  assert.deepEqual(readCgroup(root), { cpuQuotaCores: 1.5, pidsHeadroom: 10 });
});

test('v2 in a cgroup namespace: the path is "/" and the mount point is our own cgroup', (t) => {
  const root = fakeRoot(t, {
    '/proc/self/cgroup': '0::/\n',
    '/proc/self/mountinfo': V2_MOUNT,
    '/sys/fs/cgroup/cpu.max': '50000 100000\n',
  });
  assert.deepEqual(readCgroup(root), { ...EMPTY, cpuQuotaCores: 0.5 });
});

test('v1: controllers combined in one hierarchy, nested quotas', (t) => {
  const cpu = '/sys/fs/cgroup/cpu,cpuacct';
  const root = fakeRoot(t, {
    '/proc/self/cgroup':
      '7:memory:/docker/abc\n5:cpu,cpuacct:/docker/abc\n4:pids:/docker/abc\n2:cpuset:/docker/abc\n1:name=systemd:/docker/abc\n',
    '/proc/self/mountinfo': v1Mount('cpu,cpuacct') + v1Mount('memory') + v1Mount('pids') + v1Mount('cpuset'),
    [`${cpu}/cpu.cfs_quota_us`]: '-1\n',
    [`${cpu}/cpu.cfs_period_us`]: '100000\n',
    [`${cpu}/docker/cpu.cfs_quota_us`]: '200000\n',
    [`${cpu}/docker/cpu.cfs_period_us`]: '100000\n',
    [`${cpu}/docker/cpu.stat`]: 'nr_periods 1\nnr_throttled 2\nthrottled_time 3\n',
    [`${cpu}/docker/abc/cpu.cfs_quota_us`]: '25000\n',
    [`${cpu}/docker/abc/cpu.cfs_period_us`]: '10000\n',
    '/sys/fs/cgroup/pids/docker/abc/pids.max': '64\n',
    '/sys/fs/cgroup/pids/docker/abc/pids.current': '70\n',
  });
  assert.deepEqual(readCgroup(root), { cpuQuotaCores: 2, pidsHeadroom: 0 });
});

test('v1 in a container without a cgroup namespace: only our part of the hierarchy is mounted', (t) => {
  const root = fakeRoot(t, {
    '/proc/self/cgroup': '5:cpu:/docker/abc\n',
    '/proc/self/mountinfo': v1Mount('cpu', '/docker/abc'),
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '75000\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '50000\n',
  });
  assert.equal(readCgroup(root).cpuQuotaCores, 1.5);
});

test('hybrid: a controller that v1 does not have is looked for in v2', (t) => {
  const root = fakeRoot(t, {
    '/proc/self/cgroup': '4:memory:/m\n1:name=systemd:/\n0::/u\n',
    '/proc/self/mountinfo': `${v1Mount('memory')}41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n`,
    '/sys/fs/cgroup/unified/u/cpu.max': '100000 100000\n',
  });
  assert.deepEqual(readCgroup(root), { ...EMPTY, cpuQuotaCores: 1 });
});

test('a mount that cannot hold our cgroup says nothing about us', (t) => {
  const root = fakeRoot(t, {
    '/proc/self/cgroup': '0::/mine\n',
    '/proc/self/mountinfo': '30 23 0:26 /other /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
    '/sys/fs/cgroup/cpu.max': '50000 100000\n',
  });
  assert.equal(readCgroup(root).cpuQuotaCores, null);
  assert.deepEqual(readCgroup(fakeRoot(t, {})), EMPTY);
});

test('of several mounts of one hierarchy, the one that shows most ancestors and has our cgroup', (t) => {
  const mount = (mountRoot: string, point: string) =>
    `30 23 0:26 ${mountRoot} ${point} rw - cgroup2 cgroup2 rw\n`;
  const root = fakeRoot(t, {
    '/proc/self/cgroup': '0::/a/b\n',
    '/proc/self/mountinfo':
      mount('/a/b', '/own') + mount('/a', '/part') + mount('/', '/empty') + mount('/a/b', '/own2'),
    '/own/cpu.max': '400000 100000\n',
    '/own2/cpu.max': '400000 100000\n',
    '/part/b/cpu.max': '400000 100000\n',
    '/part/cpu.max': '50000 100000\n',
  });
  assert.equal(readCgroup(root).cpuQuotaCores, 0.5);
});

test('directories go up to the mount point; names hidden by a namespace leave the mount point alone', () => {
  const under = (mountRoot: string, path: string) => {
    const [mount] = parseMountinfo(`1 1 0:1 ${mountRoot} /cg rw - cgroup2 none rw\n`);
    return mount && directoriesUnder(mount, path);
  };
  assert.deepEqual(under('/', '/a/b'), ['/cg/a/b', '/cg/a', '/cg']);
  assert.deepEqual(under('/a', '/a/b'), ['/cg/b', '/cg']);
  assert.deepEqual(under('/', '/'), ['/cg']);
  assert.deepEqual(under('/..', '/'), ['/cg']);
  assert.deepEqual(under('/..', '/../sibling'), ['/cg/sibling', '/cg']);
  assert.equal(under('/', '/../sibling'), null);
  assert.equal(under('/a', '/ab'), null);
});

test('membership: a v2 line, a combined v1 line, and a colon in a name', () => {
  assert.deepEqual(parseCgroupMembership('0::/a:/b\n3:cpu,cpuacct:/\n1:name=systemd:/x\nnonsense\n'), [
    { controllers: [], isV2: true, path: '/a:/b' },
    { controllers: ['cpu', 'cpuacct'], isV2: false, path: '/' },
    { controllers: ['name=systemd'], isV2: false, path: '/x' },
  ]);
});

test('numbers: cpu.max with and without a period, limits, keyed files', () => {
  assert.equal(parseCpuMax('12500 50000'), 0.25);
  assert.equal(parseCpuMax('50000\n'), 0.5);
  for (const none of ['max 100000', '', '0 100000', '100000 0', '-1 100000'])
    assert.equal(parseCpuMax(none), null);
  assert.equal(parseLimit('0\n'), 0);
  for (const none of ['max', '-1', '9223372036854771712', '', null]) assert.equal(parseLimit(none), null);
});

test('no text makes the parsers throw, and a quota is never zero, negative or infinite', () => {
  const line = fc.stringMatching(/^[0-9a-z:,/. \\-]{0,60}$/);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(line).map((lines) => lines.join('\n')),
      ),
      (text) => {
        const [membership] = parseCgroupMembership(text);
        for (const mount of parseMountinfo(text)) directoriesUnder(mount, membership?.path ?? '/');
        parseLimit(text);
        const quota = parseCpuMax(text);
        assert.ok(quota === null || (quota > 0 && Number.isFinite(quota)));
      },
    ),
  );
});

test('a path under the mount always begins with itself and ends at the mount point', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.:-]{0,8}$/);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 6 }), fc.nat(6), (parts, cut) => {
      const mountRoot = `/${parts.slice(0, cut).join('/')}`;
      const [mount] = parseMountinfo(`1 1 0:1 ${mountRoot} /cg rw - cgroup2 none rw`);
      assert.ok(mount);
      const directories = directoriesUnder(mount, `/${parts.join('/')}`);
      assert.equal(directories?.at(-1), '/cg');
      assert.equal(directories?.length, parts.slice(cut).length + 1);
      assert.equal(directories?.[0], ['/cg', ...parts.slice(cut)].join('/'));
    }),
  );
});

test('this machine: whatever is known is plausible', linuxOnly, () => {
  const facts = readCgroup();
  assert.ok(facts.cpuQuotaCores === null || (facts.cpuQuotaCores > 0 && facts.cpuQuotaCores < 10_000));
  assert.ok(facts.pidsHeadroom === null || facts.pidsHeadroom >= 0);
});
