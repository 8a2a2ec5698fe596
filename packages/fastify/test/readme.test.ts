import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the example of the README runs as it stands', async (t) => {
  const files = [...readme.matchAll(/```js\n\/\/ (\S+)\n([\s\S]*?)```/g)];
  assert.deepEqual(
    files.map(([, name]) => name),
    ['worker.js', 'server.js'],
  );
  const [, [, , server = ''] = []] = files;
  assert.ok(server.trim().split('\n').length <= 10, 'ten lines at most');
  // Inside the package, so that it finds itself and fastify as an installed project would.
  const directory = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), 'readme-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const [, name = '', source = ''] of files) writeFileSync(join(directory, name), source);
  const child = spawn(process.execPath, [join(directory, 'server.js')], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const [address] = await once(child.stdout, 'data');
  const response = await fetch(`${String(address).trim()}/fibonacci/12`);
  assert.deepEqual([response.status, await response.json()], [200, { result: 144 }]);
});

test('the README has every option and code', () => {
  const options = read('../src/options.ts');
  const body = options.slice(options.indexOf('interface PlimsollPoolOptions'), options.indexOf('\n}'));
  const names = [...body.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name as string);
  assert.ok(names.length >= 4);
  for (const name of names) assert.ok(readme.includes(`| \`${name}\` |`), `lacks ${name}`);
  const codes = [...read('../src/errors.ts').matchAll(/^ {2}(PLIMSOLL_FASTIFY_\w+):/gm)];
  assert.ok(codes.length >= 3);
  for (const [, code = ''] of codes) assert.ok(readme.includes(code), `lacks ${code}`);
});
