import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { comparisonSchema } from 'plimsoll';
import { bench, generations, workload } from '../bench/planted.js';
import { MAIN, plimsoll } from '../support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));

const STEADY = [100, 101, 99, 100, 101];

function result(name: string, factor: number, times = STEADY): string {
  const centres = times.map((ms) => ms * factor);
  const path = join(directory, name);
  writeFileSync(path, JSON.stringify(bench([workload('crypto', new Map([[4, generations(centres)]]))])));
  return path;
}

describe('plimsoll report --against', () => {
  const old = result('old.json', 1);

  for (const [name, factor, code, says] of [
    ['same', 1, 0, /The same/],
    ['better', 0.8, 0, /Better: crypto/],
    ['worse', 1.2, 1, /Worse: crypto/],
  ] as const)
    test(`${name} ends with ${code}`, async () => {
      const run = await plimsoll(['report', '--against', old, result(`${name}.json`, factor)]);
      assert.equal(run.code, code, run.stderr);
      assert.match(run.stdout, says);
      assert.deepEqual([run.stderr, run.left], ['', []]);
    });

  test('unclear ends with 3', async () => {
    const run = await plimsoll([
      'report',
      '--against',
      old,
      result('unclear.json', 1, [90, 110, 120, 80, 100]),
    ]);
    assert.deepEqual([run.code, run.left], [3, []]);
    assert.match(run.stdout, /\nCannot tell, which does not mean unchanged\n\n.*\n.* unclear\n/);
  });

  test('--json - leaves standard output to the document', async () => {
    const run = await plimsoll(['report', '--against', old, old, '--json', '-']);
    assert.equal(comparisonSchema.parse(JSON.parse(run.stdout)).verdict, 'same');
    assert.match(run.stderr, /The same/);
  });

  test('--markdown is a table', async () => {
    const run = await plimsoll(['report', '--against', old, old, '--markdown']);
    assert.match(run.stdout, /\n\*\*The same, within 3 %\*\*\n\n\| work \| size \|/);
  });

  test('a reader that goes away, as head does, changes no exit code', async () => {
    const child = spawn(process.execPath, [MAIN, 'report', '--against', old, result('slow.json', 1.2)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const [code] = await once(child, 'close');
    assert.deepEqual([code, errors], [1, '']);
  });

  test('bad input is one line, without a stack', async () => {
    for (const args of [[old], [old, join(directory, 'none.json')], [old, import.meta.filename]]) {
      const run = await plimsoll(['report', '--against', ...args]);
      assert.equal(run.code, 2, run.stderr);
      assert.equal(run.stderr.trimEnd().split('\n').length, 1, run.stderr);
      assert.doesNotMatch(run.stderr, /\n\s+at /);
    }
  });
});
