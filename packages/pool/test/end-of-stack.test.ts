import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fixture } from './support.js';

interface Report {
  readonly fulfilled: number;
  readonly rejected: number;
}

const script = fileURLToPath(fixture('end-of-stack.mjs'));

for (const [kind, direction] of [
  ['number', 'downwards'],
  ['number', 'upwards'],
  ['object', 'upwards'],
  ['clone', 'upwards'],
  ['keyed', 'upwards'],
] as const) {
  test(`run() at the end of the stack costs nothing but its own task: ${kind}, ${direction}`, () => {
    const { stdout } = spawnSync(process.execPath, [script, direction, kind], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 300_000,
    });
    const { fulfilled, rejected, ...rest } = JSON.parse(stdout) as Report;
    assert.ok(fulfilled > 0 && (rejected > 0 || direction === 'downwards'), stdout);
    assert.deepEqual(rest, { ofOtherReasons: 0, queueSize: 0, wrong: 0, errors: [] });
  });
}
