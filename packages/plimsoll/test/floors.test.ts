import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COMMANDS } from '#plimsoll/api/options.js';
import { closureOf, faultsOf, importsOf, type Sources } from './support/imports.js';

/** From the top down; a floor imports only from floors under it. */
const FLOORS = [
  ['cli'],
  ['api'],
  ['report'],
  ['bench', 'classify', 'trace', 'doctor', 'top', 'tune', 'resize'],
  ['target'],
  ['contest'],
  ['lab'],
  ['workloads'],
  ['results'],
  ['host'],
  ['libuv'],
  ['stats'],
  ['collections'],
];
/** What the package exports stands above all floors, errors lie under them. */
const faults = (sources: Sources): string[] =>
  faultsOf(sources, FLOORS, ['index.ts', 'mark.ts'], ['errors.ts']);

const root = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.[cm]?ts$/.test(file),
);
/** A module that the build writes stands here by its declarations. */
const nameOf = (file: string): string => file.replaceAll('\\', '/').replace(/\.d\.ts$/, '.ts');
const sources = new Map(files.map((file) => [nameOf(file), readFileSync(join(root, file), 'utf8')]));

describe('the sources', () => {
  test('every file imports only from its own folder and from floors under it, and nothing in circles', () => {
    assert.deepEqual(faults(sources), []);
  });

  test('the imports were read', () => {
    const count = [...importsOf(sources).values()].flat().length;
    assert.ok(count > 2 * files.length, `${count} imports in ${files.length} files`);
  });
});

/** The most files that a command may load before it does anything; today `tune` has the most, 83. */
const MOST_FILES = 90;

describe('what a command loads', () => {
  const dist = fileURLToPath(new URL('../dist/', import.meta.url));
  const loaded = (file: string): Set<string> =>
    closureOf(file, (name) => readFileSync(join(dist, name), 'utf8'));

  for (const name of Object.keys(COMMANDS))
    test(name, () => {
      const files = new Set([...loaded('cli/command-line.js'), ...loaded(`cli/${name}.js`)]);
      assert.ok(files.has('errors.js'), 'the imports were read');
      assert.ok(files.size <= MOST_FILES, `${files.size} files`);
    });

  test('nothing before a command is chosen', () => {
    assert.deepEqual([...loaded('cli/main.js')], ['cli/main.js', 'api/options.js', 'api/option.js']);
  });

  test('dynamic imports and types are not among them', () => {
    const files: Record<string, string> = {
      'cli/a.js': "import { b } from './b.js';\nexport { c } from '../lab/c.js';\nawait import('./d.js');",
      'cli/b.js': "import {\n  e,\n} from './e.js';\nimport './a.js';",
      'lab/c.js': '',
      'cli/e.js': '',
    };
    assert.deepEqual([...closureOf('cli/a.js', (name) => files[name] ?? '')].sort(), [
      'cli/a.js',
      'cli/b.js',
      'cli/e.js',
      'lab/c.js',
    ]);
  });
});

const FORMATTING = /\.toFixed\(|\bIntl\.|\.toLocaleString\(|\.toPrecision\(/;
/** Files that format numbers for people although that is for `report/` to do. */
const formatters = (sources: Sources): string[] =>
  [...sources].flatMap(([file, text]) =>
    file.startsWith('report/') || !FORMATTING.test(text) ? [] : [file],
  );

describe('numbers are formatted in report/ alone', () => {
  test('in the sources', () => {
    assert.deepEqual(formatters(sources), []);
  });

  test('a format elsewhere is found', () => {
    const formats = ['x.toFixed(1)', 'new Intl.NumberFormat()', 'x.toLocaleString()', 'x.toPrecision(3)'];
    for (const text of formats) {
      assert.deepEqual(formatters(new Map([['trace/a.ts', text]])), ['trace/a.ts'], text);
      assert.deepEqual(formatters(new Map([['report/a.ts', text]])), []);
    }
  });
});

describe('an import upward is found', () => {
  const upward = {
    static: "import { run } from '../cli/main.js';",
    'type-only': "import type { Run } from '../cli/main.js';",
    'for its effects': "import '../cli/main.js';",
    'over several lines': "import {\n  run,\n} from '../cli/main.js';",
    CommonJS: "import main = require('../cli/main.js');",
    're-exported': "export { run } from '../cli/main.js';",
    'wholly re-exported': "export * from '../cli/main.js';",
    dynamic: "const { run } = await import('../cli/main.js');",
    'of a type, inline': "type Run = import('../cli/main.js').Run;",
    'as a process': "fork(fileURLToPath(new URL('../cli/main.js', import.meta.url)));",
  };
  for (const [kind, text] of Object.entries(upward))
    test(kind, () => {
      const sources = new Map([
        ['cli/main.ts', ''],
        ['host/cpu.ts', text],
      ]);
      assert.deepEqual(faults(sources), ['host/cpu.ts imports cli/main.ts, which is not under it']);
    });
});

describe('the rules of the floors', () => {
  const of = (sources: Record<string, string>): string[] => faults(new Map(Object.entries(sources)));
  const importing = (name: string): string => `import { x } from '${name}';`;

  test('downward and sideways within a folder is fine, comments do not count', () => {
    const text = `${importing('../stats/a.js')}\n${importing('./b.js')}\n/** ${importing('../cli/c.js')} */\n// ${importing('../cli/c.js')}`;
    assert.deepEqual(of({ 'host/a.ts': text, 'host/b.ts': '', 'stats/a.ts': '' }), []);
  });

  test('rooms of one floor do not import each other', () => {
    assert.equal(of({ 'bench/a.ts': importing('../trace/b.js'), 'trace/b.ts': '' }).length, 1);
  });

  test('nothing imports what the package exports, and errors import nothing', () => {
    assert.equal(of({ 'cli/a.ts': importing('../mark.js'), 'mark.ts': '' }).length, 1);
    assert.equal(of({ 'errors.ts': importing('./stats/a.js'), 'stats/a.ts': '' }).length, 1);
    assert.deepEqual(of({ 'mark.ts': importing('./errors.js'), 'errors.ts': '' }), []);
  });

  test('an unknown folder, an unknown file above the floors, and a module that is not there', () => {
    assert.deepEqual(of({ 'helpers/a.ts': '' }), ['helpers/a.ts is on no floor']);
    assert.deepEqual(of({ 'more.ts': '' }), ['more.ts is on no floor']);
    assert.deepEqual(of({ 'host/a.cts': "import b = require('./b.cjs');" }), [
      'host/a.cts imports host/b.cts, which is not there',
    ]);
  });

  test('a circle within a folder, of types alone too', () => {
    const text = "import type { B } from './b.js';";
    assert.deepEqual(of({ 'host/a.ts': text, 'host/b.ts': "import type { A } from './a.js';" }), [
      'circle: host/a.ts -> host/b.ts -> host/a.ts',
    ]);
  });
});
