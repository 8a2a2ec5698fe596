import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LONG, needsRedis, startRedis, until } from './support.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const files = new Map(
  [...readme.matchAll(/```js\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, name = '', source = '']) => [
    name,
    source,
  ]),
);
const bin = fileURLToPath(new URL('../bin/plimsoll-worker.js', import.meta.url));

/** A folder with the files of the README, inside the package, so that it finds itself as an installed one. */
function folderOf(): { directory: string; [Symbol.dispose](): void } {
  const directory = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), 'readme-'));
  for (const [name, source] of files) writeFileSync(join(directory, name), source);
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

async function outputOf(file: string, cwd: string, url: string): Promise<string> {
  const env = { ...process.env, REDIS_URL: url };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd, env, timeout: LONG });
  return stdout;
}

test('the README has these files', () => {
  assert.deepEqual([...files.keys()], ['tasks.js', 'main.js', 'app.js']);
});

test('its program runs on threads without Redis', async () => {
  using folder = folderOf();
  assert.equal(await outputOf('app.js', folder.directory, ''), 'threads 10\n');
});

test('its programs run on a worker that its command starts', needsRedis, async (t) => {
  using folder = folderOf();
  const { directory } = folder;
  const { url } = await startRedis();
  const [, line = ''] = /^npx plimsoll-worker (.*)$/m.exec(readme) ?? [];
  const worker = spawn(process.execPath, [bin, ...line.split(' ')], {
    cwd: directory,
    env: { ...process.env, REDIS_URL: url },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(worker, 'exit');
  t.after(() => worker.kill('SIGKILL'));
  let errors = '';
  worker.stderr.on('data', (text) => {
    errors += text;
  });
  await until(() => /queue 'numbers'/.test(errors) || worker.exitCode !== null, 'the start of the worker');
  assert.equal(await outputOf('main.js', directory, url), '10\n2\n4\n');
  assert.equal(await outputOf('app.js', directory, url), 'fleet 10\n');
  worker.kill();
  assert.deepEqual(await ended, [0, null]);
});
