import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeOctal, parseMountinfo } from '#plimsoll/host/cgroup.js';
import { filesystemOf } from '#plimsoll/host/filesystem.js';
import { linuxOnly } from './fake-root.js';

test('octal escapes are decoded once', () => {
  assert.equal(decodeOctal('a\\040b\\011c\\012d\\134040'), 'a b\tc\nd\\040');
});

test('every name survives the kernel’s escaping, and no text makes the parser throw', () => {
  const escaped = (name: string) =>
    name.replace(/[ \t\n\\]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`);
  fc.assert(
    fc.property(fc.string(), fc.stringMatching(/^[a-z \\]{1,12}$/), (text, name) => {
      parseMountinfo(text);
      const [mount] = parseMountinfo(`1 1 0:1 / /${escaped(name)} rw - ext4 none rw`);
      assert.equal(mount?.mountPoint, `/${name}`);
    }),
  );
});

test('this machine: /proc is proc, and /dev/shm is memory where it is', linuxOnly, () => {
  assert.deepEqual(filesystemOf('/proc/self'), { type: 'proc', isMemory: false });
  if (existsSync('/dev/shm')) assert.equal(filesystemOf('/dev/shm').isMemory, true);
});

test('what is not there is unknown', () => {
  assert.deepEqual(filesystemOf('/nowhere'), { type: null, isMemory: null });
});
