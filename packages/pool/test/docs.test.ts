import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Pool } from '@plimsoll/pool';
import { PHASES } from '../dist/observe/types.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const docs = read('../../../docs/reference/pool.md');
const section = (title: string): string =>
  docs.slice(docs.indexOf(`\n${title}\n`) + 1).split(/\n##+ /)[0] as string;
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '')));

test('docs/reference/pool.md has every option with its default', () => {
  const pool = new Pool({ minThreads: 0 });
  const options: Record<string, unknown> = { ...pool.options };
  void pool.destroy();
  const source = read('../src/host/options.ts');
  const start = source.indexOf('interface PoolOptions {');
  const body = source.slice(start, source.indexOf('\n}', start));
  const names = [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name).sort();
  const rows = rowsOf(section('### Options'));
  assert.deepEqual(rows.map(([name = '']) => name.slice(1, -1)).sort(), names);
  for (const [cell = '', , given = ''] of rows) {
    const value = options[cell.slice(1, -1)];
    const literal = given.replaceAll('`', '').replaceAll("'", '');
    if (typeof value === 'number' && !/cores/.test(given)) assert.equal(literal, String(value), cell);
    if (typeof value === 'boolean' || typeof value === 'string') assert.equal(literal, String(value), cell);
  }
});

test('docs/reference/pool.md has every property and event', () => {
  const statistics = section('### Statistics');
  const base = read('../src/pool-base.ts');
  const instance = base.replaceAll(/\/\*\* @internal \*\/\n {2}get/g, '');
  for (const [, name] of instance.matchAll(/^ {2}get (\w+)\(\)/gm)) {
    assert.match(statistics, new RegExp(`\`${name}\\b`), `lacks ${name}`);
  }
  const start = base.indexOf('interface PoolEvents');
  const events = base.slice(start, base.indexOf('\n}', start));
  assert.match(events, /needsDrain/);
  for (const [, name] of events.matchAll(/^ {2}(\w+): \[/gm))
    assert.ok(section('### Events').includes(`'${name}'`), name);
});

test('the life of a task in docs/internals/pool.md names files and functions that there are', () => {
  const page = read('../../../docs/internals/pool.md');
  const life = page.slice(page.indexOf('## The life of a task'), page.indexOf('## Invariants'));
  const named: [name: string, file: string][] = [];
  for (const [, file = '', names = ''] of life.matchAll(/^\| `([\w/-]+\.ts)` \| (`.*?) \|/gm))
    for (const [, name = ''] of names.matchAll(/`([#\w]+)`/g)) named.push([name, file]);
  for (const [, names = '', file = ''] of life.matchAll(/((?:`#?\w+`(?:, )?)+)[^`|]*? in `([\w/-]+\.ts)`/g))
    for (const [, name = ''] of names.matchAll(/`([#\w]+)`/g)) named.push([name, file]);
  assert.ok(named.length > 35, `only ${named.length} were found`);
  for (const [name, file] of named)
    assert.match(
      read(`../src/${file}`),
      new RegExp(`^(export )?( {2}|async |function )*${name}[(<]`, 'm'),
      file,
    );
});

test('docs/reference/pool.md has every phase and every advice of explain()', () => {
  const rows = rowsOf(section('### explain')).map(([name = '']) => name.slice(1, -1));
  const types = read('../src/observe/types.ts');
  const body = types.slice(types.indexOf('readonly id:'), types.indexOf('readonly task:'));
  const ids = [...body.matchAll(/'([\w-]+)'/g)].map(([, id]) => id as string);
  assert.ok(ids.length > 2);
  assert.deepEqual([...rows].sort(), [...PHASES, ...ids].sort());
});

test('docs/guide/migrating-from-piscina.md has every test of Piscina that fails, and its reason', () => {
  const failures = JSON.parse(read('../../../scripts/piscina-suite/expected-failures.json'));
  const expected = Object.entries(failures).map(
    ([name, reason]) => `| "${name.split(': ').slice(1).join(': ')}" | ${reason} |`,
  );
  const guide = read('../../../docs/guide/migrating-from-piscina.md');
  const rows = guide.split('\n').filter((line) => line.startsWith('| "'));
  assert.deepEqual(rows, expected);
});
