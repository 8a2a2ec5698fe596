import assert from 'node:assert/strict';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { filesystemOf, mountOf } from '#plimsoll/host/filesystem.js';
import { decodeOctal, parseMountinfo } from '#plimsoll/host/mounts.js';
import { fakeRoot, linuxOnly } from './fake-root.js';

const MOUNTINFO = [
  '27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw',
  '50 27 0:40 / /plimsoll-none rw - btrfs /dev/nvme0n1p2 rw',
  '51 27 0:41 / /plimsoll-none/my\\040disk rw - tmpfs tmpfs rw',
  '52 27 0:42 / /plimsoll-none/nfs rw - nfs4 server.example:/home/me rw',
  '53 27 253:0 / /plimsoll-none/lvm rw - xfs /dev/mapper/alice--vg-root rw',
  '54 27 0:43 / /plimsoll-none/nfs rw - ramfs none rw',
  'nonsense',
].join('\n');

test('the longest mount point wins, at whole names only; of equals the last', linuxOnly, (t) => {
  const root = fakeRoot(t, { '/proc/self/mountinfo': MOUNTINFO });
  const of = (path: string) => filesystemOf(path, root);
  assert.deepEqual(of('/plimsoll-none-at-all'), { type: 'ext4', isMemory: false });
  assert.deepEqual(of('/plimsoll-none/x/y'), { type: 'btrfs', isMemory: false });
  assert.deepEqual(of('/plimsoll-none/my disk/a'), { type: 'tmpfs', isMemory: true });
  assert.deepEqual(of('/plimsoll-none/my disks'), { type: 'btrfs', isMemory: false });
  assert.deepEqual(of('/plimsoll-none/nfs'), { type: 'ramfs', isMemory: true });
  assert.deepEqual(of('/plimsoll-none/lvm'), { type: 'xfs', isMemory: false });
});

test('a symbolic link counts as where it leads, also for a file that does not exist yet', linuxOnly, (t) => {
  const root = fakeRoot(t, { '/target/file': '' });
  symlinkSync(join(root, 'target'), join(root, 'link'));
  const mounts = `1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:9 / ${root}/target rw - tmpfs tmpfs rw\n`;
  const fake = fakeRoot(t, { '/proc/self/mountinfo': mounts });
  assert.equal(filesystemOf(join(root, 'link/new/file'), fake).type, 'tmpfs');
  assert.deepEqual(filesystemOf('/', fake), { type: 'ext4', isMemory: false });
});

test('without mountinfo everything is unknown', (t) => {
  assert.deepEqual(filesystemOf('/', fakeRoot(t, {})), { type: null, isMemory: null });
});

test('octal escapes are decoded once', () => {
  assert.equal(decodeOctal('a\\040b\\011c\\012d\\134040'), 'a b\tc\nd\\040');
});

test('every name survives the kernel’s escaping, and no text makes the parser throw', () => {
  const escaped = (name: string) =>
    name.replace(/[ \t\n\\]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`);
  fc.assert(
    fc.property(fc.string(), fc.stringMatching(/^[a-z \\]{1,12}$/), (text, name) => {
      mountOf(parseMountinfo(text), '/a');
      const [mount] = parseMountinfo(`1 1 0:1 / /${escaped(name)} rw - ext4 none rw`);
      assert.equal(mount?.mountPoint, `/${name}`);
    }),
  );
});

test('this machine: /proc is proc, and /dev/shm is memory where it is', linuxOnly, () => {
  assert.equal(filesystemOf('/proc/self').type, 'proc');
  if (existsSync('/dev/shm')) assert.equal(filesystemOf('/dev/shm/x').isMemory, true);
});
