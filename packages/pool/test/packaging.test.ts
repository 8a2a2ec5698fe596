import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** A folder with files, and with what the repository has installed when asked for. */
function folderOf(t: TestContext, files: Record<string, string>, modules = true): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll packaging #'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  if (modules) symlinkSync(MODULES, join(folder, 'node_modules'), 'junction');
  return folder;
}

/** What a file prints, as JSON, in a process of its own. */
async function printed(folder: string, file: string, ...flags: string[]): Promise<unknown> {
  const { stdout } = await run(process.execPath, [...flags, file], { cwd: folder, timeout: 120_000 });
  return JSON.parse(stdout) as unknown;
}

test('a worker file of either module system, and one that is bundled, sees that its task is aborted', async (t) => {
  const loop = `(begun) => {
    const { signal } = task;
    Atomics.store(begun, 0, 1);
    while (!task.aborted);
    require('node:fs').writeFileSync(path, '1');
  }`;
  const body = (kind: string): string =>
    `const path = ${JSON.stringify(`${kind}.txt`)};\n${`const loop = ${loop}`};\n`;
  const folder = folderOf(t, {
    'required.cjs': `const { task } = require('@plimsoll/pool/worker');\n${body('required')}exports.loop = loop;`,
    'imported.mjs': `import { createRequire } from 'node:module';
      import { task } from '@plimsoll/pool/worker';
      const require = createRequire(import.meta.url);
      ${body('imported')}export { loop };`,
    'main.cjs': `const { existsSync } = require('node:fs');
      const { Pool } = require('@plimsoll/pool');
      (async () => {
        const seen = [];
        for (const file of ['required.cjs', 'imported.mjs', 'bundled.cjs']) {
          const pool = new Pool({ filename: __dirname + '/' + file, maxThreads: 1 });
          const begun = new Int32Array(new SharedArrayBuffer(4));
          const controller = new AbortController();
          const run = pool.run(begun, { name: 'loop', signal: controller.signal, grace: Infinity });
          while (begun[0] === 0) await new Promise((resolve) => setTimeout(resolve, 5));
          controller.abort();
          seen.push(await run.catch((error) => error.name), existsSync(file.split('.')[0] + '.txt'));
          await pool.close();
        }
        console.log(JSON.stringify(seen));
      })();`,
  });
  writeFileSync(
    join(folder, 'source.cjs'),
    `const { task } = require('@plimsoll/pool/worker');\n${body('bundled')}exports.loop = loop;`,
  );
  const entryPoints = { bundled: join(folder, 'source.cjs') };
  await bundle({ entryPoints, outdir: folder, outExtension: { '.js': '.cjs' }, format: 'cjs' });
  const each = ['AbortError', true];
  assert.deepEqual(await printed(folder, 'main.cjs'), [...each, ...each, ...each]);
});

test('what a worker file imports loads nothing of the host', () => {
  const folder = new URL('../dist/node/', import.meta.url);
  const worker = readFileSync(new URL('worker.cjs', folder), 'utf8');
  assert.doesNotMatch(worker, /shared\.cjs|new Worker\(|class (Core|Pool)\b/);
  assert.ok(worker.length < 10_000, `${worker.length} bytes`);
  const program = `const { move, workerData, receiveContext, isWorkerThread, task } = require(${JSON.stringify(fileURLToPath(new URL('worker.cjs', folder)))});
    console.log(Object.keys(require.cache).length, typeof move, workerData, typeof receiveContext, isWorkerThread, task.aborted);`;
  const { stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  assert.equal(stdout, '1 function undefined function false false\n');
});

test('the pool alone loads nothing that observes it', () => {
  const pool = readFileSync(new URL('../dist/node/shared.cjs', import.meta.url), 'utf8');
  assert.doesNotMatch(pool, /sending-costs-more|task\.outstanding/);
});

const WORKER =
  "exports.add = ({ a, b }) => a + b;\nexports.isWorker = () => require('@plimsoll/pool/worker').isWorkerThread;";

const STATES = `
  const pairs = [
    [require('@plimsoll/pool'), await import('@plimsoll/pool')],
    [require('@plimsoll/pool/piscina'), await import('@plimsoll/pool/piscina')],
    [require('@plimsoll/pool/observe'), await import('@plimsoll/pool/observe')],
    [require('@plimsoll/pool/worker'), await import('@plimsoll/pool/worker')],
    [require('@plimsoll/pool/testing'), await import('@plimsoll/pool/testing')],
  ];
  const differing = pairs.flatMap(([required, imported]) =>
    Object.keys(imported).filter((name) => required[name] !== imported[name]));
  const [[{ Pool, move }], [Piscina, { default: whole }]] = pairs;
  const isSame = Piscina === whole && Piscina === Piscina.Piscina && Piscina.move === move;
  const pool = new Piscina({ filename: __dirname + '/worker.cjs', maxThreads: 1 });
  const isWorker = await pool.run(null, { name: 'isWorker' });
  await pool.close();
  console.log(JSON.stringify({ differing, isSame, isWorker, names: [Pool.name, Piscina.name] }));`;

test('require and import give the same classes, functions and symbols', async (t) => {
  const folder = folderOf(t, { 'main.cjs': `(async () => {${STATES}})();`, 'worker.cjs': WORKER });
  const same = { differing: [], isSame: true, isWorker: true, names: ['Pool', 'Piscina'] };
  assert.deepEqual(await printed(folder, 'main.cjs'), same);
});

test('the pool for tests is loaded by its own entry alone, and stands in for the package', async (t) => {
  const bundles = fileURLToPath(new URL('../dist', import.meta.url));
  const bundler = readdirSync(join(bundles, 'bundler')).map((file) => `bundler/${file}`);
  const files = [...bundler, 'node/shared.cjs', 'node/index.cjs'];
  for (const file of files)
    assert.doesNotMatch(readFileSync(join(bundles, file), 'utf8'), /TestPool|openRealm/);
  assert.match(readFileSync(join(bundles, 'node/testing.cjs'), 'utf8'), /TestPool/);
  // Where a test has put it in the place of the main entry, it would find itself there.
  assert.doesNotMatch(readFileSync(join(bundles, 'node/testing.cjs'), 'utf8'), /require\("[^"]*index/);
  const folder = folderOf(t, {
    'main.cjs': `(async () => {
      const loaded = () => Object.keys(require.cache).filter((file) => file.endsWith('testing.cjs')).length;
      require('@plimsoll/pool');
      require('@plimsoll/pool/piscina');
      const before = loaded();
      const { Pool, PoolError } = require('@plimsoll/pool/testing');
      const pool = new Pool({ filename: __dirname + '/worker.mjs', minThreads: 1 });
      const sum = await pool.run({ a: 4, b: 6 });
      pool.inject({ kind: 'exit' });
      const lost = await pool.run(0).catch((error) => error instanceof PoolError && error.code);
      // Nobody closes it, and the process ends all the same.
      console.log(JSON.stringify([before, loaded(), sum, lost, pool instanceof require('@plimsoll/pool').Pool]));
    })();`,
    'worker.mjs': 'export default ({ a, b }) => a + b;',
  });
  assert.deepEqual(await printed(folder, 'main.cjs'), [0, 1, 10, 'PLIMSOLL_POOL_WORKER_EXITED', true]);
});

const SUM = `
  const sums = [];
  for (const Class of [Pool, Piscina]) {
    const pool = new Class({ filename: process.argv[1] + '/../worker.cjs', name: 'add', maxThreads: 1 });
    sums.push(await pool.run({ a: 4, b: 6 }));
    await pool.close();
  }
  console.log(JSON.stringify(sums));`;

const HOSTS = {
  'host.mjs': `import { Pool } from '@plimsoll/pool';
    import Piscina from '@plimsoll/pool/piscina';
    (async () => {${SUM}})();`,
  'host.cjs': `const { Pool } = require('@plimsoll/pool');
    const Piscina = require('@plimsoll/pool/piscina');
    (async () => {${SUM}})();`,
};

test('a bundled host runs without the package: from and to both module systems', async (t) => {
  const source = folderOf(t, HOSTS);
  const bundled = folderOf(t, { 'worker.cjs': 'exports.add = ({ a, b }) => a + b;' }, false);
  // With conditions of one's own esbuild does without its `module`; bundled.test.ts is about that.
  const variants = { esm: ['esm', ['of-the-user']], cjs: ['cjs'] };
  for (const [variant, [format, conditions]] of Object.entries(variants)) {
    const extension = format === 'esm' ? '.mjs' : '.cjs';
    const output = { outdir: bundled, outExtension: { '.js': extension }, entryNames: `[name]-${variant}` };
    const input = { absWorkingDir: source, entryPoints: { imports: 'host.mjs', requires: 'host.cjs' } };
    await bundle({ ...input, ...output, format, conditions });
    for (const host of ['imports', 'requires']) {
      const file = `${host}-${variant}${extension}`;
      assert.deepEqual(await printed(bundled, file), [10, 10], file);
    }
  }
});

async function bundle(options: Record<string, unknown>): Promise<void> {
  const esbuild = require('esbuild') as { build(options: Record<string, unknown>): Promise<unknown> };
  await esbuild.build({ ...options, bundle: true, platform: 'node', logLevel: 'error' });
}

test('worker files see nothing of how the worker was started', async (t) => {
  const worker = (exporting: string): string => `
    const globals = ['module', 'exports', 'require', '__filename', '__dirname'];
    ${exporting} () => ({
      globals: globals.filter((name) => Object.hasOwn(globalThis, name)),
      isProgram: process.argv[1] === ${exporting === 'module.exports =' ? '__filename' : 'import.meta.filename'},
      program: require('node:fs').existsSync(process.argv[1]),
      rest: process.argv.slice(2),
      code: '_eval' in process,
    });`;
  const folder = folderOf(t, {
    'worker.cjs': worker('module.exports ='),
    'worker.mjs': `import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      ${worker('export default')}`,
    'main.cjs': `const { Pool } = require('@plimsoll/pool');
      (async () => {
        const pool = new Pool({ maxThreads: 1, argv: ['--own'] });
        const seen = [];
        for (const file of ['worker.cjs', 'worker.mjs'])
          seen.push(await pool.run(null, { filename: __dirname + '/' + file }));
        await pool.close();
        console.log(JSON.stringify(seen));
      })();`,
  });
  const seen = { globals: [], isProgram: false, program: true, rest: ['--own'], code: false };
  assert.deepEqual(await printed(folder, 'main.cjs'), [seen, seen]);
});

const WITH_FLAGS = `
  const { Pool } = require('@plimsoll/pool');
  const filename = __dirname + '/worker.mjs';
  (async () => {
    const sums = [];
    for (const options of [{}, { execArgv: ['--input-type=module'] }]) {
      const pool = new Pool({ filename, maxThreads: 1, ...options });
      sums.push(await pool.run({ a: 4, b: 6 }));
      await pool.close();
    }
    console.log(JSON.stringify(sums));
  })();`;

test('workers start under flags that say how code is run, and where it may be read', async (t) => {
  const text = 'export default ({ a, b }) => a + b;';
  const folder = folderOf(t, { 'worker.mjs': text, 'main.cjs': WITH_FLAGS });
  const pool = fileURLToPath(new URL('../dist/node', import.meta.url));
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  const readable = [folder, pool, join(pool, '../../package.json'), join(MODULES, '@plimsoll')];
  const allowed = readable.map((path) => `--allow-fs-read=${path}`);
  for (const flags of [
    ['--disallow-code-generation-from-strings'],
    ['--frozen-intrinsics'],
    ['--import', 'data:text/javascript,0'],
    [permission, '--allow-worker', ...allowed],
  ])
    assert.deepEqual(await printed(folder, 'main.cjs', ...flags), [10, 10], flags[0]);
  // V8's options are not for threads, so that nothing may be added to what a thread inherits.
  const main = `import module from 'node:module'; module.createRequire(${JSON.stringify(join(folder, 'main.cjs'))})('./main.cjs')`;
  const flags = ['--max-old-space-size=500', '--input-type=module', '--eval'];
  assert.deepEqual(await printed(folder, main, ...flags), [10, 10]);
});
