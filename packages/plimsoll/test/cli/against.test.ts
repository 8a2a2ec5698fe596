import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { comparisonSchema } from 'plimsoll';
import { everythingIn, plimsoll, until } from '../support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));

/** Each call takes so long, by a clock that its process sets by hand: whatever else the machine does changes nothing. */
function module(name: string, ms: number, more = ''): string {
  const path = join(directory, name);
  const text = `let nowMs = 0;
    ${more}
    export const operations = 4;
    export const setup = () => { performance.now = () => nowMs; };
    export default () => { nowMs += ${ms}; };`;
  writeFileSync(path, text);
  return path;
}

describe('plimsoll bench --against', () => {
  const old = module('old.mjs', 20);

  test('a slower one is worse, and the answer ends it before the time is up', async () => {
    const run = await plimsoll([
      ...['bench', module('slower.mjs', 40), '--against', old, '--time', '60', '--json', '-', '--quiet'],
    ]);
    assert.equal(run.code, 1, run.stderr);
    const { verdict, rows } = comparisonSchema.parse(JSON.parse(run.stdout));
    assert.deepEqual([verdict, rows.length, rows[0]?.name, rows[0]?.size], ['worse', 1, 'slower.mjs', 4]);
    assert.ok(Math.abs((rows[0]?.interval?.[0] ?? 0) - 2) < 1e-6, JSON.stringify(rows));
    assert.ok((rows[0]?.generations ?? 0) >= 4);
    assert.deepEqual(run.left, []);
  });

  test('each size is compared with the same size of the other one', async () => {
    const run = await plimsoll([
      ...['bench', module('other.mjs', 20), '--against', old, '--sizes', '2,4', '--time', '3'],
      ...['--json', '-', '--quiet'],
    ]);
    assert.ok([0, 3].includes(run.code ?? -1), `${run.code} ${run.stderr}`);
    const { rows } = comparisonSchema.parse(JSON.parse(run.stdout));
    const sizes = rows.map(({ size }) => size);
    assert.deepEqual(sizes, [2, 4]);
  });

  test('a new module that fails at a size: 4, with what it said', async () => {
    const dies = module('dies.mjs', 20, "if (process.env.UV_THREADPOOL_SIZE === '8') process.exit(7);");
    const run = await plimsoll(['bench', dies, '--against', old, '--sizes', '4,8', '--time', '3', '--quiet']);
    assert.equal(run.code, 4, run.stderr);
    assert.match(run.stdout.replaceAll(/\s+/g, ' '), /the new module at size 8 failed: .* \(compare\.lost\)/);
    assert.deepEqual(run.left, []);
  });

  test('an old one that fails is the error', async () => {
    const broken = module('broken.mjs', 20, "throw new Error('broken on purpose');");
    const run = await plimsoll(['bench', old, '--against', broken, '--time', '3', '--quiet']);
    assert.deepEqual([run.code, run.stdout, run.left], [2, '', []]);
    assert.match(run.stderr, /broken on purpose/);
    assert.doesNotMatch(run.stderr, /\n\s+at /);
  });

  test('Ctrl-C: what was measured is shown and said to be unfinished, and nothing is left', async () => {
    // One that differs at random is not settled before the time is up.
    const long = module('long.mjs', 25, 'setInterval(() => { nowMs += 20 * Math.random(); }, 1);');
    const run = await plimsoll(['bench', long, '--against', old, '--time', '600', '--quiet'], {
      meanwhile: (child, temporary) =>
        void until(() => everythingIn(temporary).length > 3).then(() => child.kill('SIGINT')),
    });
    assert.equal(run.code, 130, run.stderr);
    assert.match(run.stdout.replaceAll(/\s+/g, ' '), /the measurement was interrupted and is incomplete/);
    assert.deepEqual(run.left, []);
  });

  test('one module is compared with one, by options that say something about both', async () => {
    for (const [args, says] of [
      [['--against', old], /--against: takes exactly one module/],
      [[old, old, '--against', old], /--against: takes exactly one module/],
      [['crypto', '--against', old], /"crypto" is not a module path/],
      [[join(directory, 'none.mjs'), '--against', old], /there is no module/],
      [[old, '--against', old, '--baseline', '4'], /--baseline and --against: use one of the two/],
      [[old, '--markdown'], /--markdown needs --against/],
    ] as const) {
      const run = await plimsoll(['bench', ...args]);
      assert.equal(run.code, 2, run.stderr);
      assert.match(run.stderr, says);
    }
  });
});
