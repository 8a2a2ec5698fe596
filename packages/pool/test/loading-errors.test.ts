import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Pool } from '@plimsoll/pool';
import { caught } from './support.js';
import { bare, commonJs, counter, esModule, folderOf } from './worker-folder.js';

const { typescript } = process.features as { typescript?: unknown };

/** What a task is rejected with when its file cannot be loaded. */
async function failure(pool: Pool, filename: string): Promise<Error> {
  const error = await caught(pool.run(1, { filename }));
  assert.equal(error.code, 'PLIMSOLL_POOL_LOAD_FAILED', filename);
  return error;
}

test('broken syntax is told with its place in the file, and nothing of the file runs', async (t) => {
  const broken: Record<string, [string, RegExp]> = {
    'script.js': [
      'globalThis.runs = 1;\n\nconst = 2;\n',
      /script\.js: Unexpected token '=' at .*script\.js:3:7$/,
    ],
    'script.cjs': [
      'globalThis.runs = 1;\nconst = 2;\n',
      /script\.cjs: Unexpected token '=' at .*script\.cjs:2:7$/,
    ],
    'module.mjs': [
      "import { join } from 'node:path';\nexport const path = import.meta.url;\nawait 1;\nexport default = 2;\n",
      /module\.mjs: Unexpected token '=' at .*module\.mjs:4:16$/,
    ],
    'open.js': [
      'globalThis.runs = 1;\nmodule.exports = (n => {',
      /open\.js: Unexpected end of input at .*open\.js:2:25$/,
    ],
    'open.mjs': [
      'globalThis.runs = 1;\nexport default (n => {\n',
      /open\.mjs: Unexpected end of input at .*open\.mjs:3:1$/,
    ],
    'name.mjs': [
      "\nimport { nothing } from 'node:path';\n",
      /does not provide an export named 'nothing' at .*name\.mjs:2:10$/,
    ],
    'data.json': [
      '{\n  "a": 1,,\n}',
      /data\.json: Expected double-quoted property name in JSON at position 11/,
    ],
  };
  const typed: typeof broken = {
    'module.mts': [
      'export const a: number = 1;\nexport const = 2;\n',
      /module\.mts: .* at .*module\.mts:2:14$/,
    ],
    'script.cts': ['const a: number = 1;\nconst = 2;\n', /script\.cts: .* at .*script\.cts:2:7$/],
    'enum.mts': ['enum Colour {}\n', /enum\.mts: TypeScript enum is not supported .* at .*enum\.mts:1:1$/],
  };
  const files = typescript ? { ...broken, ...typed } : broken;
  const texts = Object.fromEntries(Object.entries(files).map(([name, [text]]) => [name, text]));
  const folder = folderOf(t, { ...texts, 'counter.cjs': counter });
  const pool = bare(t);
  for (const [name, [, message]] of Object.entries(files)) {
    const error = await failure(pool, join(folder, name));
    assert.match(error.message, message);
    assert.ok(error.cause instanceof SyntaxError, name);
  }
  assert.equal(await pool.run(0, { filename: join(folder, 'counter.cjs') }), 0);
});

test('a place is not guessed at', async (t) => {
  const folder = folderOf(t, {
    'good.mjs': "import './bad.mjs';\nexport default (n) => n;\n",
    'bad.mjs': 'export const = 2;\n',
    'throws.mjs': "import { join } from 'node:path';\nthrow new SyntaxError(\"Unexpected token '='\");\n",
  });
  const pool = bare(t);
  for (const name of ['good.mjs', 'throws.mjs']) {
    assert.match((await failure(pool, join(folder, name))).message, /mjs: Unexpected token '='$/);
  }
});

test('the error for a missing function names those that the file has, and nothing else of it', async (t) => {
  const many = Array.from({ length: 30 }, (_, index) => `key${index}() {}`).join();
  const folder = folderOf(t, {
    'data.json': '{ "one": 1, "two": 2 }',
    'null.json': 'null',
    'many.cjs': `module.exports = { limit: 1, promised: new Promise(() => {}), ${many} };\n`,
    'nothing.mjs': '',
    'number.cjs': 'module.exports = 5;\n',
  });
  const pool = bare(t);
  const message = async (name: string): Promise<string> => (await failure(pool, join(folder, name))).message;
  assert.match(await message('many.cjs'), /as 'default', only 'promised', 'key0', .*'key18' and 11 more$/);
  for (const name of ['data.json', 'null.json', 'nothing.mjs', 'number.cjs'])
    assert.match(await message(name), /as 'default'$/);
});

test('a file that is not there is told by its name', async (t) => {
  const folder = folderOf(t, {
    'empty/part.txt': '',
    'needs.mjs': "import './not-there.mjs';\n",
    'needs.cjs': "require('./not-there.cjs');\n",
  });
  const pool = bare(t);
  for (const name of ['no.mjs', 'no.cjs', 'no.ts', 'no.json', 'no', 'empty', 'empty/part.txt/no.mjs']) {
    const { message, cause } = await failure(pool, join(folder, name));
    const start = `Cannot load ${join(folder, name)}: no file has this name, and no folder with an index.js. If`;
    assert.ok(message.startsWith(start), message);
    assert.ok(cause instanceof Error);
  }
  const url = `${pathToFileURL(join(folder, 'no.mjs'))}?query`;
  assert.ok((await failure(pool, url)).message.startsWith(`Cannot load ${url}: no file has this name`));
  for (const name of ['needs.mjs', 'needs.cjs']) {
    assert.match(
      (await failure(pool, join(folder, name))).message,
      /^Cannot load .*needs\..js: Cannot find module .*not-there/,
    );
  }
});

test('a file that throws no error is told all the same', async (t) => {
  const folder = folderOf(t, {
    'text.cjs': "throw 'a text';\n",
    'nothing.mjs': 'throw undefined;\n',
    'object.mjs': 'throw Object.create(null);\n',
    'rejects.mjs':
      "export default Promise.reject(new RangeError('no function'));\nexport const other = () => 1;\n",
    'getter.cjs':
      "Object.defineProperty(exports, 'default', { get() { throw new RangeError('no function'); } });\n",
    'task.mjs': esModule,
  });
  const pool = bare(t);
  const message = async (name: string): Promise<string> => (await failure(pool, join(folder, name))).message;
  assert.match(await message('text.cjs'), /text\.cjs: a text$/);
  assert.match(await message('nothing.mjs'), /nothing\.mjs: undefined$/);
  assert.match(await message('object.mjs'), /object\.mjs: it threw an object without a message$/);
  for (const name of ['rejects.mjs', 'getter.cjs']) {
    const error = await failure(pool, join(folder, name));
    assert.match(error.message, /: no function$/);
    assert.ok(error.cause instanceof RangeError);
  }
  assert.deepEqual(await pool.run(1, { filename: join(folder, 'task.mjs') }), [2, 1]);
});

test('a language that Node does not run is told with what to do', async (t) => {
  const folder = folderOf(t, {
    'task.tsx': 'export default (n: number) => <p>{n}</p>;\n',
    'task.jsx': 'export default (n) => <p>{n}</p>;\n',
    'task.ts': 'export default (n: number): number => n;\n',
    'task.mts': 'export default (n: number): number => n;\n',
    'task.cts': 'module.exports = (n: number): number => n;\n',
    'imports.mjs': "export { default } from './task.mts';\n",
  });
  const pool = bare(t);
  for (const name of ['task.tsx', 'task.jsx']) {
    const { message } = await failure(pool, join(folder, name));
    assert.match(
      message,
      /Unknown file extension ".*\. Node\.js cannot run JSX: name a compiled file, or run the process under tsx$/,
    );
  }
  for (const name of ['task.ts', 'task.mts', 'task.cts', 'imports.mjs']) {
    const filename = join(folder, name);
    if (typescript) {
      assert.equal(await pool.run(1, { filename }), 1, name);
      continue;
    }
    assert.match(
      (await failure(pool, filename)).message,
      /\. Name a compiled file, or run the process under tsx or on Node\.js 22\.18 or newer$/,
    );
  }
});

test('names that are none are refused at once', () => {
  for (const filename of ['', 'file://host/task.js', 'file:///a%2Fb.js', new URL('file:///a%2Fb.js')]) {
    const wrong = { code: 'PLIMSOLL_POOL_BAD_OPTION', name: 'RangeError' };
    assert.throws(() => new Pool({ filename }), wrong, String(filename));
  }
});

test('a file that needs Node to give it a name has one', async (t) => {
  const folder = folderOf(t, {
    'name.js': `${commonJs}module.exports = () => [__filename, module.id, require.resolve('./name')];\n`,
  });
  const path = join(folder, 'name.js');
  assert.deepEqual(await bare(t, { filename: join(folder, 'name') }).run(0), [path, path, path]);
});
