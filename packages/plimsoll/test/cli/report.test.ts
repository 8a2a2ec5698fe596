import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { bench, generations, workload } from '../bench/planted.js';
import { MAIN, plimsoll } from '../support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));

const STEADY = [100, 101, 99, 100, 101];

const faster = generations(STEADY.map((ms) => ms * 0.7));
const result = (name: string): object =>
  bench([workload(name, new Map([[4, generations(STEADY)]]).set(8, faster))]);

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const one = file('one.json', JSON.stringify(result('crypto')));

describe('plimsoll report', () => {
  test('makes one page of results, lists of them too', async () => {
    const list = file('list.json', JSON.stringify([result('zlib'), result('dns')]));
    const out = join(directory, 'page.html');
    const run = await plimsoll(['report', one, list, '--out', out, '--title', 'A <b>title</b>']);
    assert.deepEqual([run.code, run.stdout, run.left], [0, '', []]);
    assert.match(run.stderr, /^report: .*page\.html\n$/);
    const html = readFileSync(out, 'utf8');
    assert.match(html, /<h1>A &lt;b&gt;title&lt;\/b&gt;<\/h1>/);
    for (const name of ['crypto', 'zlib', 'dns']) assert.match(html, new RegExp(`${name}: time against 4`));
  });

  test('--out - is the page alone', async () => {
    const run = await plimsoll(['report', one, '--out', '-']);
    assert.match(run.stdout, /^<!doctype html>.*<\/html>\n$/s);
    assert.deepEqual([run.code, run.stderr], [0, '']);
  });

  test('fifty results stay below 300 KB', async () => {
    const files = Array.from({ length: 50 }, (_, index) =>
      file(`suite-${index}.json`, JSON.stringify(result(`work-${index}`))),
    );
    const { stdout } = await plimsoll(['report', ...files, '--out', '-']);
    assert.ok(stdout.length < 300_000, `${stdout.length} characters`);
  });

  for (const [name, content, says] of [
    ['foreign', '{"hello":1}', /is not a plimsoll result/],
    ['study', '{"schema":"plimsoll/1","kind":"odd"}', /no command of this version writes \(kind "odd"\)/],
    ['empty', ' \n', /is empty/],
    ['truncated', '{"schema":"plimsoll/1","kin', /is not JSON, or is truncated/],
    ['list', '[]', /is an empty list/],
    ['null', 'null', /is not a plimsoll result/],
    [
      'older',
      '{"schema":"plimsoll/1","kind":"bench"}',
      /is damaged, or comes from another version of plimsoll bench/,
    ],
  ] as const)
    test(`a ${name} file is one clear line`, async () => {
      const page = join(directory, `${name}.html`);
      const run = await plimsoll(['report', one, file(name, content), '--out', page]);
      assert.deepEqual([run.code, run.stdout], [2, '']);
      assert.match(run.stderr, says);
      assert.equal(run.stderr.trimEnd().split('\n').length, 1, run.stderr);
      assert.throws(() => readFileSync(page), { code: 'ENOENT' });
    });

  test('a page that cannot be written, and no file at all', async () => {
    const run = await plimsoll(['report', one, '--out', '/nonexistent/page.html']);
    assert.match(run.stderr, /cannot write \/nonexistent\/page\.html \(ENOENT\)/);
    assert.notEqual(run.code, 0);
    assert.equal((await plimsoll(['report'])).code, 2);
  });
});

test('a reader that goes away, as head does, changes no exit code', async () => {
  const child = spawn(process.execPath, [MAIN, 'report', one, '--out', '-'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  assert.deepEqual([code, errors], [0, '']);
});
