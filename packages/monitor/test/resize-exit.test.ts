import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fixture, IS_LINUX } from './support.js';

const skip = !IS_LINUX;
const ways = createRequire(import.meta.url)(fixture('resize-exit.cjs')) as string[];

/** The end, where it is not with the code 0. */
const ENDS: Record<string, number | string> = {
  'by process.exit()': 3,
  'by process.exit() in a listener that comes first': 3,
  'by an error in a listener that comes first': 1,
  'by process.reallyExit()': 3,
  'by an uncaught exception': 1,
  'by SIGTERM': 'SIGTERM',
  'by a handler of SIGTERM': 3,
  'by process.abort()': 'SIGABRT',
  'while it is resized': 3,
  'with resizes that wait': 3,
  'with jobs in its queue': 3,
  'after a Worker that resized it': 2,
};
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-exits-'));
after(() => rmSync(folder, { recursive: true }));
const TIMEOUT_MS = 60_000;

const endOf = (way: string): Promise<number | string | null> =>
  new Promise((resolve) => {
    const env = { ...process.env, UV_THREADPOOL_SIZE: '16', TMPDIR: folder };
    // A core file would stay.
    const child = spawn(
      'sh',
      ['-c', 'ulimit -c 0; exec "$0" "$@"', process.execPath, fixture('resize-exit.cjs'), way],
      {
        ...{ env, stdio: 'ignore', timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      },
    );
    child.on('exit', (code, signal) => resolve(code ?? signal));
  });

for (const way of ways)
  test(`a process with a smaller pool ends ${way}`, { skip }, async () => {
    assert.equal(await endOf(way), ENDS[way] ?? 0);
  });

test('nothing stays in the temporary folder', { skip }, () => {
  assert.deepEqual(readdirSync(folder), []);
});
