import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  countPoolThreads,
  diffPoolThreads,
  listThreads,
  namesPoolThreads,
} from '#plimsoll/host/pool-threads.js';
import { fakeRoot, linuxOnly } from './fake-root.js';

const MODULE = fileURLToPath(import.meta.resolve('#plimsoll/host/pool-threads.js'));

/** CommonJS, as `-e` is: an ESM entry would have used the pool of Node 20 before the first line. */
const CHILD = `
  const { listThreads, diffPoolThreads, countPoolThreads } = require(${JSON.stringify(MODULE)});
  const before = listThreads();
  require('node:crypto').pbkdf2('', '', 1, 1, 'sha1', () => {
    const byDifference = diffPoolThreads(before, listThreads()).length;
    process.stdout.write(JSON.stringify({ byDifference, byName: countPoolThreads() }));
    process.stdin.resume();
  });
`;

for (const size of [1, 4, 9]) {
  test(`a child with UV_THREADPOOL_SIZE=${size} has ${size} pool threads`, linuxOnly, async (t) => {
    const env = { ...process.env, UV_THREADPOOL_SIZE: String(size), NODE_OPTIONS: '' };
    const child = spawn(process.execPath, ['-e', CHILD], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    t.after(() => child.kill('SIGKILL'));
    const [chunk] = await once(child.stdout, 'data');
    const byName = namesPoolThreads(process.versions.uv) ? size : null;
    assert.deepEqual(JSON.parse(String(chunk)), { byDifference: size, byName });
    assert.ok(child.pid);
    assert.equal(countPoolThreads(child.pid), byName);
    child.stdin.end();
    await once(child, 'exit');
    assert.equal(listThreads(child.pid), null);
  });
}

test('threads are listed by number, and those that ended meanwhile are left out', (t) => {
  const root = fakeRoot(t, {
    '/proc/7/task/10/comm': 'libuv-worker\n',
    '/proc/7/task/9/comm': 'libuv-worker\n',
    '/proc/7/task/7/comm': 'node\n',
    '/proc/7/task/11/stat': '',
  });
  assert.deepEqual(listThreads(7, root), [
    { tid: 7, name: 'node' },
    { tid: 9, name: 'libuv-worker' },
    { tid: 10, name: 'libuv-worker' },
  ]);
  assert.equal(countPoolThreads(7, '1.46.0', root), 2);
  assert.equal(countPoolThreads(8, '1.51.0', root), null);
});

test('no named thread: 0 where libuv gives names, unknown where it does not', (t) => {
  const root = fakeRoot(t, { '/proc/7/task/7/comm': 'node\n' });
  assert.equal(countPoolThreads(7, '1.50.0', root), 0);
  assert.equal(countPoolThreads(7, '1.49.2', root), null);
  assert.equal(namesPoolThreads('2.0.0'), true);
});

test('the difference leaves out io_uring, and everything unnamed once names are there', () => {
  const before = [{ tid: 1, name: 'node' }];
  const unnamed = [2, 3].map((tid) => ({ tid, name: 'node' }));
  const kernel = [
    { tid: 4, name: 'iou-sqp-1' },
    { tid: 5, name: 'iou-wrk-1' },
  ];
  assert.deepEqual(diffPoolThreads(before, [...before, ...unnamed, ...kernel]), unnamed);
  const named = [{ tid: 6, name: 'libuv-worker' }];
  assert.deepEqual(diffPoolThreads(before, [...before, ...unnamed, ...named]), named);
});
