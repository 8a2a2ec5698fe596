import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Pool } from '../dist/index.js';
import { fixture } from './support.js';

const execute = promisify(execFile);
const filename = fixture('preloaded.mjs');
const MARK = `data:text/javascript,${encodeURIComponent('globalThis.preloads = (globalThis.preloads ?? 0) + 1')}`;

const HOST = `import { Pool } from ${JSON.stringify(import.meta.resolve('../dist/index.js'))};
const pool = new Pool({ filename: ${JSON.stringify(filename.href)} });
console.log(await pool.run(undefined));
await pool.close();`;

async function preloadsOf(flags: readonly string[], nodeOptions: string): Promise<number> {
  const { stdout } = await execute(process.execPath, [...flags, '--input-type=module', '--eval', HOST], {
    env: { ...process.env, NODE_OPTIONS: nodeOptions },
  });
  return Number(stdout);
}

test('what the process loads first with --import, each worker loads once too', async () => {
  assert.equal(await preloadsOf(['--import', MARK], ''), 1);
  assert.equal(await preloadsOf([`--import=${MARK}`], ''), 1);
  assert.equal(await preloadsOf([], `--import=${MARK}`), 1);
  assert.equal(await preloadsOf([], ''), 0);
});

test('--import among the execArgv of a pool', async () => {
  await using pool = new Pool({ filename, execArgv: ['--import', MARK] });
  assert.equal(await pool.run(undefined), 1);
});
