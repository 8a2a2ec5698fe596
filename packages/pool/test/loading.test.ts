import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bare, commonJs, counter, esModule, folderOf, typed, typedCommonJs } from './worker-folder.js';

const { typescript } = process.features as { typescript?: unknown };

test('a worker file may be of any kind that Node runs, and runs once', async (t) => {
  const kinds: Record<string, string> = {
    'module.mjs': esModule,
    'common.cjs': commonJs,
    'waits.mjs': `await new Promise((resolve) => setTimeout(resolve, 20));\n${esModule}`,
    'none/module.js': esModule,
    'none/common.js': commonJs,
    'none/waits.js': `await 1;\n${esModule}`,
    'none/bare': commonJs,
    'none/common.task': commonJs,
    'module/module.js': esModule,
    'module/common.cjs': commonJs,
    'common/common.js': commonJs,
    'common/module.mjs': esModule,
    'common/bare': commonJs,
  };
  const packages = {
    'none/package.json': '{}',
    'module/package.json': '{ "type": "module" }',
    'common/package.json': '{ "type": "commonjs" }',
  };
  const folder = folderOf(t, { ...kinds, ...packages });
  for (const name of Object.keys(kinds)) {
    const pool = bare(t, { filename: join(folder, name) });
    assert.deepEqual(await Promise.all([pool.run(1), pool.run(1)]), [[2, 1], [2, 1]], name); // biome-ignore format: a row
    await pool.close();
  }
});

test('types are stripped where Node does that', { skip: !typescript }, async (t) => {
  const kinds: Record<string, string> = {
    'none/module.ts': typed,
    'none/common.ts': typedCommonJs,
    'none/module.mts': typed,
    'none/common.cts': typedCommonJs,
    'module/module.ts': typed,
    'common/common.ts': typedCommonJs,
  };
  const folder = folderOf(t, {
    ...kinds,
    'module/package.json': '{ "type": "module" }',
    'common/package.json': '{ "type": "commonjs" }',
  });
  for (const name of Object.keys(kinds)) {
    const pool = bare(t, { filename: join(folder, name) });
    assert.deepEqual(await pool.run(1), [2, 1], name);
    const compiled = join(folder, name.replace(/ts$/, 'js'));
    assert.deepEqual(await pool.run(1, { filename: compiled }), [2, 1], 'as in an import');
    await pool.close();
  }
});

test('a folder, a name without its extension and a relative path name a worker file', async (t) => {
  const folder = folderOf(t, {
    'index/index.js': commonJs,
    'main/package.json': '{ "main": "lib/start.cjs" }',
    'main/lib/start.cjs': commonJs,
    'named.js': commonJs,
    'both.js': commonJs.replace('n + 1', 'n + 2'),
    both: commonJs,
  });
  for (const name of ['index', 'index/', 'main', 'named', 'both']) {
    const pool = bare(t, { filename: join(folder, name) });
    assert.deepEqual(await pool.run(1), [2, 1], name);
    await pool.close();
  }
  const pool = bare(t);
  const path = relative(process.cwd(), join(folder, 'named.js'));
  assert.deepEqual(await pool.run(1, { filename: path }), [2, 1]);
  assert.deepEqual(await pool.run(1, { filename: path.slice(0, -3) }), [2, 1]);
  assert.deepEqual(await pool.run(1, { filename: pathToFileURL(join(folder, 'index')) }), [2, 2]);
});

test('each query and hash of a file: URL is an ES module of its own', async (t) => {
  const folder = folderOf(t, { 'module.mjs': esModule, 'common.cjs': commonJs, 'counter.cjs': counter });
  const url = pathToFileURL(join(folder, 'module.mjs'));
  const pool = bare(t);
  const runs = async (filename: string | URL): Promise<unknown> => pool.run(1, { filename });
  assert.deepEqual(await runs(url), [2, 1]);
  assert.deepEqual(await runs(join(folder, 'module.mjs')), [2, 1]);
  assert.deepEqual(await runs(new URL('?one', url)), [2, 2]);
  assert.deepEqual(await runs(`${url}?one`), [2, 2]);
  assert.deepEqual(await runs(`${url}?two`), [2, 3]);
  assert.deepEqual(await runs(`${url}#hash`), [2, 4]);
  assert.deepEqual(await runs(url), [2, 4], 'the first instance is still the one without a query');
  const common = `${pathToFileURL(join(folder, 'common.cjs'))}?`;
  assert.deepEqual(await runs(`${common}one`), [2, 5]);
  assert.deepEqual(await runs(`${common}two`), [2, 5], 'CommonJS knows no queries');
  assert.equal(await runs(join(folder, 'counter.cjs')), 5);
});

test('a URL of another realm or library is a URL', async (t) => {
  const folder = folderOf(t, { 'common.cjs': commonJs });
  const { href, protocol } = pathToFileURL(join(folder, 'common.cjs'));
  assert.deepEqual(await bare(t).run(1, { filename: { href, protocol } as URL }), [2, 1]);
});

test('paths may have any letters', async (t) => {
  const names = ['a b', '#c', '%25d', 'ü', '日本', "'", ...(process.platform === 'win32' ? [] : ['?e', '"'])];
  for (const name of names) {
    const folder = folderOf(t, {
      [`${name}/${name}.mjs`]: `import ${JSON.stringify(`./${encodeURIComponent(name)}-part.mjs`)};\n${esModule}`,
      [`${name}/${name}-part.mjs`]: '',
      [`${name}/${name}.cjs`]: `require('./' + ${JSON.stringify(`${name}-part.mjs`)});\n${commonJs}`,
      [`${name}/index.js`]: commonJs,
    });
    const pool = bare(t);
    for (const file of [`${name}.mjs`, `${name}.cjs`, '']) {
      const path = join(folder, name, file);
      const [sum] = (await pool.run(1, { filename: path })) as [number];
      assert.equal(sum, 2, path);
      assert.deepEqual(
        await pool.run(1, { filename: pathToFileURL(path) }),
        await pool.run(1, { filename: path }),
      );
    }
    await pool.close();
  }
});

test('a symbolic link is what it points to, unless links are to be preserved', {
  skip: process.platform === 'win32',
}, async (t) => {
  const worker = {
    mjs: "import where from './where.cjs';\nexport default () => where;\n",
    cjs: "const where = require('./where.cjs');\nmodule.exports = () => where;\n",
  };
  const folder = folderOf(t, {
    'real/worker.mjs': worker.mjs,
    'real/worker.cjs': worker.cjs,
    'real/where.cjs': "module.exports = 'real';\n",
    'links/where.cjs': "module.exports = 'links';\n",
  });
  for (const name of ['worker.mjs', 'worker.cjs']) {
    symlinkSync(join(folder, 'real', name), join(folder, 'links', name));
    const filename = join(folder, 'links', name);
    assert.equal(await bare(t, { filename }).run(0), 'real', name);
    assert.equal(await bare(t, { filename, execArgv: ['--preserve-symlinks'] }).run(0), 'links', name);
  }
});

test('a function called then is a member of an object like others, and promises are awaited', {
  timeout: 240_000,
}, async (t) => {
  const functions = 'then: () => "then", one: () => 1';
  const folder = folderOf(t, {
    'named.cjs': 'exports.one = () => 1;\nexports.then = () => "then";\n',
    'whole.cjs': `module.exports = { ${functions} };\n`,
    'default.mjs': `export default { ${functions} };\n`,
    'later.js': `module.exports = new Promise((resolve) => setImmediate(resolve, { one: () => 1 }));\n`,
  });
  const pool = bare(t);
  for (const file of ['named.cjs', 'whole.cjs', 'default.mjs']) {
    const filename = join(folder, file);
    assert.equal(await pool.run(0, { filename, name: 'one' }), 1, file);
    assert.equal(await pool.run(0, { filename, name: 'then' }), 'then', file);
  }
  assert.equal(await pool.run(0, { filename: join(folder, 'later.js'), name: 'one' }), 1);
});
