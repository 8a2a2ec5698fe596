import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RescueOptions, rescueThreadPool } from '@plimsoll/monitor';
import { fixture, IS_LINUX, runNode } from './support.js';

const skip = !IS_LINUX;
const HAS_FFI = isBuiltin('node:ffi');
const MAX = '32';

async function rescue(what: string): Promise<unknown> {
  const env = { ...process.env, UV_THREADPOOL_SIZE: MAX };
  const { stdout, stderr } = await runNode([fixture('rescue.cjs'), what], { env });
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

test('one more thread for each that is blocked, as long as it is', { skip }, async () => {
  const [grow, size, ...shrinks] = (await rescue('hang')) as [type: string, from: number, size: number][];
  assert.deepEqual(
    [grow, size],
    [
      ['grow', 4, 8, 4],
      ['size', 8],
    ],
  );
  // A look that falls into the release still sees some of them blocked: then it takes two steps. On a machine that stands still one
  // may fail, and is tried again.
  assert.ok(shrinks.every(([type]) => type !== 'grow'));
  assert.deepEqual([shrinks[0]?.[1], shrinks.at(-1)?.[2]], [8, 4]);
});

test('a blocked event loop does not keep it from that', { skip }, async () => {
  const [size] = (await rescue('main-blocked')) as unknown[];
  assert.deepEqual(size, ['size', 8]);
});

test('a queue that is long because threads compute gets no thread', { skip }, async () => {
  assert.deepEqual(await rescue('compute'), []);
});

/** In a network of its own, where nobody but the program answers lookups. */
const ENTER = `ip link set lo up && echo "nameserver 127.0.0.1\noptions timeout:30 attempts:1" > "$1/resolv" &&
echo "hosts: files dns" > "$1/switch" && mount --bind "$1/resolv" /etc/resolv.conf &&
mount --bind "$1/switch" /etc/nsswitch.conf && shift && exec "$@"`;

test('two for each lookup that hangs, since lookups may have half of the threads', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-monitor-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const inside = (...command: string[]) =>
    spawnSync('unshare', ['--mount', '--net', '--', 'sh', '-c', ENTER, 'sh', folder, ...command], {
      env: { ...process.env, UV_THREADPOOL_SIZE: MAX },
      encoding: 'utf8',
      timeout: 240_000,
    });
  if (inside('true').status !== 0) return t.skip('needs the right to make namespaces');
  const { stdout, stderr } = inside(process.execPath, fixture('rescue.cjs'), 'lookups');
  const changes = JSON.parse(stdout) as [type: string, from: number, size: number, blocked: number][];
  const grows = changes.filter(([type]) => type === 'grow');
  assert.deepEqual(grows[0], ['grow', 4, 8, 2], stderr);
  // A look that falls into the start of the next two lookups sees one of them blocked: then it takes more steps.
  for (const [, , size, blocked] of grows) assert.equal(size, 4 + 2 * blocked);
  assert.ok((grows.at(-1)?.[2] ?? 0) >= 12, JSON.stringify(changes));
  assert.equal(changes.at(-1)?.[2], 4);
});

test('one in a process; another one when it has stopped', { skip }, async () => {
  assert.equal(await rescue('twice'), 'PLIMSOLL_MONITOR_RESCUE_RUNNING');
});

test('what is no option is refused', async () => {
  const wrong: RescueOptions[] = [
    { waitMs: 0 },
    { waitMs: -1 },
    { waitMs: Number.NaN },
    { holdMs: -1 },
    { size: 0 },
    { size: 4, max: 4 },
    { size: 8, max: 4 },
    { max: 1025 },
    { max: '8' as never },
  ];
  for (const options of wrong)
    await assert.rejects(
      rescueThreadPool({ size: 4, ...options }),
      { code: 'PLIMSOLL_MONITOR_BAD_OPTION' },
      JSON.stringify(options),
    );
});

test('a process that was not started for it is told how to be', { skip }, async () => {
  const started = rescueThreadPool({ size: 4, max: 16 });
  // There threads are added to any process.
  if (HAS_FFI) return (await started).stop();
  await assert.rejects(started, {
    code: 'PLIMSOLL_MONITOR_RESCUE_UNAVAILABLE',
    message:
      /started with 4 threads and cannot have 16: start it with "plimsoll run --size 4 --max 16 -- node …"/,
  });
});
