import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Pool } from '@plimsoll/pool';
import { isHooked } from '../dist/worker/require-file.js';
import { caught } from './support.js';
import {
  bare,
  commonJs,
  counter,
  esModule,
  folderOf,
  throws,
  typed,
  typedCommonJs,
} from './worker-folder.js';

/** As a compiler from TypeScript to CommonJS, by a hook of require. It knows no more than the files below need. */
const COMPILER = `
const { readFileSync } = require('node:fs');
const compile = (text) => {
  if (/^await /m.test(text)) throw new TypeError('the hook knows no await');
  return text.replaceAll(': number', '').replaceAll(': [number, number]', '').replace('export default', 'module.exports =')
    .replace(/^import (\\w+) from (.*);/gm, 'const $1 = require($2);').replaceAll('(n)', '(n, hooked = true)');
};
const hook = (extension) => {
  require.extensions[extension] = (module, filename) => module._compile(compile(readFileSync(filename, 'utf8')), filename);
};
`;
const TYPESCRIPT_HOOK = `${COMPILER}for (const extension of ['.ts', '.mts', '.cts', '.tsx']) hook(extension);\n`;
const EVERYTHING_HOOK = `${COMPILER}for (const extension of ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']) hook(extension);\n`;

/** By the hooks of \`import()\`: a language of its own, and a mark in ES modules. */
const LOADER = `
import { readFile } from 'node:fs/promises';
export async function resolve(specifier, context, next) {
  if (specifier.endsWith('/virtual')) return { url: specifier, format: 'module', shortCircuit: true };
  return next(specifier, context);
}
export async function load(url, context, next) {
  if (url.endsWith('/virtual')) return { format: 'module', source: 'export default () => "virtual"', shortCircuit: true };
  if (url.endsWith('.upper')) {
    const text = await readFile(new URL(url), 'utf8');
    return { format: 'module', source: text.toLowerCase(), shortCircuit: true };
  }
  const loaded = await next(url, context);
  if (!url.includes('marked.mjs')) return loaded;
  return { ...loaded, source: String(loaded.source).replace('n + 1', 'n + 100') };
}
`;
const LOADED = {
  'hooks.mjs': LOADER,
  'register.mjs': "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n",
  'task.upper': 'EXPORT DEFAULT (N) => N + 3;\n',
  'marked.mjs': esModule,
};

const runsIn = (pool: Pool, folder: string): Promise<unknown> =>
  pool.run(0, { filename: join(folder, 'counter.cjs') });

test("Node's own ways to load files are no hooks, on this line either", () => {
  for (const extension of ['.js', '.cjs', '.mjs', '.ts', '.mts', '.cts', '.other', '']) {
    assert.equal(isHooked(extension), false, extension);
  }
});

test('a hook of require applies to what it is for, and to what it requires', async (t) => {
  const folder = folderOf(t, {
    'hook.cjs': TYPESCRIPT_HOOK,
    'common/common.ts': typedCommonJs,
    'common/part.ts': 'const part: number = 1;\nexport default part;\n',
    'common/whole.ts': `import part from './part';\nexport default (n: number): number => n + part;\n`,
    'none/module.ts': typed,
    'none/common.cts': typedCommonJs,
    'none/module.mts': typed,
    'none/common.js': commonJs,
    'none/module.mjs': esModule,
    'common/package.json': '{ "type": "commonjs" }',
  });
  const options = { execArgv: ['--require', join(folder, 'hook.cjs')] };
  for (const name of [
    'common/common.ts',
    'none/module.ts',
    'none/common.cts',
    'none/module.mts',
    'none/common.js',
    'none/module.mjs',
  ]) {
    assert.deepEqual(await bare(t, { ...options, filename: join(folder, name) }).run(1), [2, 1], name);
  }
  const pool = bare(t, options);
  assert.equal(await pool.run(1, { filename: join(folder, 'common/whole.ts') }), 2);
  assert.equal(await pool.run(1, { filename: join(folder, 'common/whole') }), 2);
  assert.equal(await pool.run(1, { filename: join(folder, 'common/whole.js') }), 2, 'as in an import');
});

test('a hook applies wherever Node is told of it', async (t) => {
  const folder = folderOf(t, {
    'hook.cjs': TYPESCRIPT_HOOK,
    'task.ts': `${typedCommonJs}module.exports = () => hooked;\n`.replace('()', '(n: number)'),
  });
  const hook = join(folder, 'hook.cjs');
  for (const options of [
    { execArgv: ['-r', hook] },
    { execArgv: [`--require=${hook}`] },
    { execArgv: ['--no-warnings', '--import', pathToFileURL(hook).href] },
    { env: { NODE_OPTIONS: `--no-warnings --require ${hook}` } },
  ]) {
    const pool = bare(t, { ...options, filename: join(folder, 'task.ts') });
    assert.equal(await pool.run(1), true, JSON.stringify(options));
    await pool.close();
  }
});

test('a hook that took over .js alone applies', async (t) => {
  const folder = folderOf(t, {
    'hook.cjs': `${COMPILER}hook('.js');\n`,
    'common.js': `${commonJs}module.exports = (n) => hooked;\n`,
  });
  const pool = bare(t, {
    execArgv: ['--require', join(folder, 'hook.cjs')],
    filename: join(folder, 'common.js'),
  });
  assert.equal(await pool.run(1), true);
});

test('a hook that a worker file puts in applies to the files after it', async (t) => {
  const folder = folderOf(t, {
    'first.cjs': `${TYPESCRIPT_HOOK}module.exports = () => 'first';\n`,
    'task.ts': typed,
  });
  const pool = bare(t, { filename: join(folder, 'first.cjs') });
  assert.equal(await pool.run(1), 'first');
  assert.deepEqual(await pool.run(1, { filename: join(folder, 'task.ts') }), [2, 1]);
});

test('an ES module is imported even where hooks have changed require, and required if that cannot be', async (t) => {
  const dynamic = `export default async (n: number): number => (await import('./state.mjs')).default === state;\n`;
  const folder = folderOf(t, {
    'hook.cjs': EVERYTHING_HOOK,
    'package.json': '{ "type": "module" }',
    'state.mjs': 'export default {};\n',
    'same.js': `import state from './state.mjs';\n${dynamic.replaceAll(': number', '')}`,
    'typed.ts': typed,
    'enum.ts': `enum Unknown {}\n`,
    'refused.ts': `import part from './part';\n${typed}`,
    'part.ts': 'const part: number = 1;\nexport default part;\n',
  });
  const pool = bare(t, { execArgv: ['--require', join(folder, 'hook.cjs')] });
  assert.equal(
    await pool.run(1, { filename: join(folder, 'same.js') }),
    true,
    'one instance of what it imports',
  );
  assert.deepEqual(await pool.run(1, { filename: join(folder, 'typed.ts') }), [2, 1]);
  assert.deepEqual(await pool.run(1, { filename: join(folder, 'refused.ts') }), [2, 2]);
  assert.deepEqual(await pool.run(1, { filename: pathToFileURL(join(folder, 'refused.ts')) }), [2, 2]);
});

test('what a hook refuses is imported, and runs once', async (t) => {
  const folder = folderOf(t, {
    'hook.cjs': EVERYTHING_HOOK,
    'waits.js': `await new Promise((resolve) => setTimeout(resolve, 1));\n${esModule}`,
    'waits.mjs': `await 1;\n${esModule}`,
  });
  const execArgv = ['--require', join(folder, 'hook.cjs')];
  for (const name of ['waits.js', 'waits.mjs']) {
    assert.deepEqual(await bare(t, { execArgv, filename: join(folder, name) }).run(1), [2, 1], name);
  }
});

test('a file that throws runs once, with hooks and without', async (t) => {
  const files = {
    'throws.js': throws,
    'throws.cjs': throws,
    'throws.mjs': throws,
    'throws.ts': throws,
    'throws.cts': `const n: number = 1;\n${throws}`,
    'parses.js': `${throws.slice(0, throws.indexOf('throw'))}JSON.parse('{ no');\n`,
    'requires.js': `${throws.slice(0, throws.indexOf('throw'))}require('./waits.mjs');\n`,
    'imports.mjs': `import './throws.cjs';\n`,
    'module.js': `import 'node:path';\n${throws}`,
  };
  const folder = folderOf(t, {
    ...files,
    'waits.mjs': 'await 1;\n',
    'hook.cjs': EVERYTHING_HOOK,
    'counter.cjs': counter,
  });
  const names = Object.keys(files);
  if (process.platform !== 'win32') {
    symlinkSync(join(folder, 'throws.js'), join(folder, 'throws-linked.js'));
    names.push('throws-linked.js');
  }
  const { typescript } = process.features as { typescript?: unknown };
  for (const execArgv of [[], ['--require', join(folder, 'hook.cjs')]]) {
    for (const name of names) {
      // There `require` leaves a rejection unhandled when an ES module throws.
      if (name === 'module.js' && process.versions.node.startsWith('22.12.')) continue;
      if (name.endsWith('ts') && execArgv.length === 0 && !typescript) continue;
      const pool = bare(t, { execArgv });
      const run = (): Promise<unknown> => pool.run(1, { filename: join(folder, name) });
      const first = await caught(run());
      assert.equal(first.code, 'PLIMSOLL_POOL_LOAD_FAILED', name);
      if (name.startsWith('throws')) assert.match(first.message, /: thrown in run 1$/);
      const [thread] = pool.threads;
      assert.equal((await caught(run())).message, first.message);
      assert.equal(await runsIn(pool, folder), 1, `${name} under ${execArgv}`);
      assert.equal(pool.threads[0], thread, name);
      await pool.close();
    }
  }
});

test('a hook that throws fails the task with its error, and the worker goes on', async (t) => {
  const folder = folderOf(t, {
    'hook.cjs': `
const { '.js': load } = require.extensions;
require.extensions['.js'] = (module, filename) => {
  if (filename.endsWith('task.js')) throw Object.assign(new RangeError('the hook threw'), { code: 'E_HOOK' });
  load(module, filename);
};
`,
    'task.js': commonJs,
    'counter.cjs': counter,
  });
  const pool = bare(t, {
    execArgv: ['--require', join(folder, 'hook.cjs')],
    filename: join(folder, 'task.js'),
  });
  const error = await caught(pool.run(1));
  assert.equal(error.code, 'PLIMSOLL_POOL_LOAD_FAILED');
  assert.match(error.message, /task\.js: the hook threw$/);
  assert.ok(error.cause instanceof RangeError);
  assert.equal((error.cause as { code?: string }).code, 'E_HOOK');
  assert.equal(await runsIn(pool, folder), 0);
});

test('a preload that throws keeps workers from starting, and is the cause', async (t) => {
  const folder = folderOf(t, {
    'hook.cjs': "throw new RangeError('the preload threw');\n",
    'task.js': commonJs,
  });
  const pool = bare(t, { execArgv: ['--require', join(folder, 'hook.cjs')], minThreads: 0 });
  const error = await caught(pool.run(1, { filename: join(folder, 'task.js') }));
  assert.equal(error.code, 'PLIMSOLL_POOL_START_FAILED');
  assert.match(error.message, /: the preload threw$/);
  assert.ok(error.cause instanceof RangeError);
});

test('hooks of import() apply, be they registered or loaders', async (t) => {
  const folder = folderOf(t, LOADED);
  for (const execArgv of [
    ['--no-warnings', '--import', pathToFileURL(join(folder, 'register.mjs')).href],
    ['--no-warnings', '--loader', pathToFileURL(join(folder, 'hooks.mjs')).href],
  ]) {
    const pool = bare(t, { execArgv });
    assert.equal(await pool.run(1, { filename: join(folder, 'task.upper') }), 4, execArgv[1]);
    assert.deepEqual(await pool.run(1, { filename: join(folder, 'marked.mjs') }), [101, 1]);
    assert.deepEqual(
      await pool.run(1, { filename: `${pathToFileURL(join(folder, 'marked.mjs'))}?again` }),
      [101, 2],
    );
    assert.equal(await pool.run(1, { filename: join(folder, 'virtual') }), 'virtual');
    await pool.close();
  }
});

test('a hook of import() that throws fails the task with its error', async (t) => {
  const folder = folderOf(t, {
    'hooks.mjs':
      "export async function load(url, context, next) {\n  if (url.includes('task')) throw new RangeError('the hook threw');\n  return next(url, context);\n}\n",
    'task.mjs': esModule,
  });
  const execArgv = ['--no-warnings', '--loader', pathToFileURL(join(folder, 'hooks.mjs')).href];
  const error = await caught(bare(t, { execArgv }).run(1, { filename: join(folder, 'task.mjs') }));
  assert.equal(error.code, 'PLIMSOLL_POOL_LOAD_FAILED');
  assert.match(error.message, /task\.mjs: the hook threw$/);
  assert.ok(error.cause instanceof Error);
});

test('loading writes no warning', async (t) => {
  const folder = folderOf(t, {
    'hook.cjs': EVERYTHING_HOOK,
    'module.mjs': esModule,
    'waits.mjs': `await 1;\n${esModule}`,
    'package.json': '{ "type": "module" }',
    'module.js': esModule,
  });
  const report = `process.on('warning', (warning) => { globalThis.warned = String(warning); });\n`;
  for (const hook of ['', EVERYTHING_HOOK]) {
    const preload = folderOf(t, {
      'preload.cjs': report + hook,
      'warned.cjs': 'module.exports = () => globalThis.warned;\n',
    });
    const pool = bare(t, { execArgv: ['--require', join(preload, 'preload.cjs')] });
    for (const name of ['module.mjs', 'waits.mjs', 'module.js'])
      await pool.run(1, { filename: join(folder, name) });
    assert.equal(await pool.run(1, { filename: join(preload, 'warned.cjs') }), undefined);
    await pool.close();
  }
});
