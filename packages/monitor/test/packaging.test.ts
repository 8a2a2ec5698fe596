import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runNode } from './support.js';

const require = createRequire(import.meta.url);
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const MEASURE = `
  const monitor = monitorThreadPool({ resolution: 1 });
  monitor.enable();
  randomBytes(8, () => {});
  const timer = setInterval(() => {
    if (monitor.count < 3) return;
    clearInterval(timer);
    console.log('measured');
  }, 2);`;

const FILES = {
  'states.cjs': `(async () => {
    const required = require('@plimsoll/monitor');
    const imported = await import('@plimsoll/monitor');
    const auto = require('@plimsoll/monitor/auto');
    const same = await import('@plimsoll/monitor/auto');
    console.log(
      Object.keys(imported).filter((name) => required[name] !== imported[name]).length,
      auto.monitor === same.monitor,
      typeof imported.prometheusText(auto.monitor),
    );
  })();`,
  'host.mjs': `import { randomBytes } from 'node:crypto';
    import { monitorThreadPool } from '@plimsoll/monitor';${MEASURE}`,
};

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-monitor-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
  symlinkSync(MODULES, join(folder, 'node_modules'), 'junction');
  return folder;
}

test('require and import give the same, and one auto of a process', async (t) => {
  const { stdout, stderr } = await runNode([join(folderOf(t), 'states.cjs')]);
  assert.deepEqual([stdout, stderr], ['0 true string\n', '']);
});

for (const format of ['cjs', 'esm']) {
  test(`it works in a bundle: ${format}`, async (t) => {
    const folder = folderOf(t);
    const bundle = join(folder, format === 'cjs' ? 'bundle.cjs' : 'bundle.mjs');
    const esbuild = require('esbuild') as { build(options: Record<string, unknown>): Promise<unknown> };
    const options = { absWorkingDir: folder, entryPoints: ['host.mjs'], outfile: bundle, logLevel: 'error' };
    await esbuild.build({ ...options, bundle: true, platform: 'node', format });
    rmSync(join(folder, 'node_modules'));
    const { stdout, stderr } = await runNode([bundle]);
    assert.deepEqual([stdout, stderr], ['measured\n', '']);
  });
}

test('it depends on nothing', () => {
  const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Record<string, unknown>;
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    assert.equal(manifest[kind], undefined, kind);
});
