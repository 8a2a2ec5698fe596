import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const FILES = {
  'worker.cjs': 'module.exports = ({ a, b }) => a + b;',
  'states.cjs': `(async () => {
    const required = require('@plimsoll/fastify');
    const imported = await import('@plimsoll/fastify');
    const differing = Object.keys(imported).filter((name) => required[name] !== imported[name]);
    const fastify = require('fastify')();
    fastify.register(required, { filename: __dirname + '/worker.cjs' });
    await fastify.ready();
    const isOne = fastify.pool instanceof (await import('@plimsoll/pool')).Pool;
    const sum = await fastify.runTask({ a: 4, b: 6 });
    await fastify.close();
    console.log(JSON.stringify({ differing, isOne, sum }));
  })();`,
  'host.mjs': `import plimsollPool from '@plimsoll/fastify';
    import { fastify as create } from 'fastify';
    const fastify = create();
    fastify.register(plimsollPool, { filename: process.argv[1] + '/../worker.cjs' });
    fastify.get('/', (request) => request.runTask({ a: 4, b: 6 }));
    fastify.inject('/').then(({ body }) => fastify.close().then(() => console.log(body)));`,
};

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fastify-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
  symlinkSync(MODULES, join(folder, 'node_modules'), 'junction');
  return folder;
}

async function printed(file: string): Promise<unknown> {
  return JSON.parse((await promisify(execFile)(process.execPath, [file])).stdout) as unknown;
}

test('require and import give the same plugin, over the same pool', async (t) => {
  const same = { differing: [], isOne: true, sum: 10 };
  assert.deepEqual(await printed(join(folderOf(t), 'states.cjs')), same);
});

test('the plugin is bundled with its server', async (t) => {
  const folder = folderOf(t);
  const bundle = join(folder, 'bundle.cjs');
  const esbuild = require('esbuild') as { build(options: Record<string, unknown>): Promise<unknown> };
  const options = { absWorkingDir: folder, entryPoints: ['host.mjs'], outfile: bundle, logLevel: 'error' };
  await esbuild.build({ ...options, bundle: true, platform: 'node', format: 'cjs' });
  rmSync(join(folder, 'node_modules'));
  assert.equal(await printed(bundle), 10);
});
