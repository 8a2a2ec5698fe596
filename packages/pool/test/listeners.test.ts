import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fixture } from './support.js';

const POOL = new URL('../dist/index.js', import.meta.url).href;

/** Every listener throws, and so does the missing one of `error`. Prints what the tasks gave and what was uncaught. */
const PROGRAM = `
import { setImmediate } from 'node:timers/promises';
import { Pool } from ${JSON.stringify(POOL)};
const uncaught = [];
process.on('uncaughtException', (error) => uncaught.push(error.message));
const pool = new Pool({ filename: ${JSON.stringify(fixture('tasks.mjs').href)}, maxThreads: 1, maxQueue: 3 });
for (const event of ['workerCreate', 'workerDestroy', 'message', 'needsDrain', 'drain', 'close'])
  pool.on(event, () => {
    throw new Error(event);
  });
const echo = (value) => pool.run(value, { name: 'echo' });
const results = await Promise.all([1, 2, 3].map(echo));
await pool.run('said', { name: 'post' });
await pool.run(1, { name: 'crashIdle' });
while (!uncaught.includes('workerDestroy')) await setImmediate();
results.push(await echo(4));
await pool.close();
await setImmediate();
console.log(JSON.stringify({ results, uncaught: [...new Set(uncaught)].sort() }));
`;

test('a listener that throws is an uncaught error, and the pool works on', () => {
  const child = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    encoding: 'utf8',
    timeout: 240_000,
  });
  assert.equal(child.stderr, '');
  assert.deepEqual(JSON.parse(child.stdout), {
    results: [1, 2, 3, 4],
    uncaught: [
      'close',
      'crashed while idle',
      'drain',
      'message',
      'needsDrain',
      'workerCreate',
      'workerDestroy',
    ],
  });
});
