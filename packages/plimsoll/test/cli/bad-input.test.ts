import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fixture, plimsoll } from '../support/cli.js';

const QUICKLY = ['--time', '1', '--sizes', '2', '--baseline', '2', '--quiet'];

/** By name: the exit code, the arguments, and what is said. */
const cases: Record<string, readonly [code: number, args: readonly string[], says: RegExp]> = {
  'an unknown workload': [2, ['bench', 'cripto'], /unknown workload "cripto".*file, crypto, zlib/],
  'size 0': [2, ['bench', 'zlib', '--sizes', '4,0'], /from 1 to 1024, not "0"/],
  'size 1025': [2, ['bench', 'zlib', '--sizes', '1025'], /from 1 to 1024, not "1025"/],
  'a size that is no number': [2, ['bench', 'zlib', '--sizes', 'abc'], /not "abc"/],
  'an empty size': [2, ['bench', 'zlib', '--sizes', ''], /from 1 to 1024, not ""/],
  'a baseline of 2.5': [2, ['bench', 'zlib', '--baseline', '2.5'], /--baseline.*not "2.5"/],
  'no blocks': [2, ['bench', 'zlib', '--isolated', '--blocks', '0'], /--blocks.*not "0"/],
  'blocks without --isolated': [2, ['bench', 'zlib', '--blocks', '3'], /--blocks needs --isolated/],
  'no time': [2, ['bench', 'zlib', '--time', '0'], /--time.*not "0"/],
  'a scale of 0': [2, ['bench', 'zlib', '--scale', '0'], /--scale.*not "0"/],
  'an unknown option': [2, ['bench', '--sise', '4'], /unknown option '--sise'/],
  'an unknown command': [2, ['bensh'], /unknown command 'bensh'/],
  'an unknown parameter': [2, ['bench', 'zlib', '--set', 'zlib.size=3'], /parameters of zlib.*"size"/],
  'a bad parameter': [2, ['bench', 'zlib', '--set', 'zlib.level=12'], /parameters of zlib\.level/],
  'JSON into no directory': [
    2,
    ['bench', 'zlib', '--json', '/nonexistent/x.json'],
    /cannot write \/nonexistent\/x.json \(ENOENT\)/,
  ],
  'a module that does not exist': [2, ['bench', './nowhere.mjs'], /no module at .\/nowhere.mjs/],
  'a module that exports nothing': [
    2,
    ['bench', fixture('bad/exports-nothing.mjs')],
    /default export must be an async function.*it exports nothing/,
  ],
  'a module whose default is no function': [
    2,
    ['bench', fixture('bad/not-a-function.mjs')],
    /default export must be an async function, but it is number/,
  ],
  'a module that throws while loading': [
    2,
    ['bench', fixture('bad/throws-on-load.mjs')],
    /cannot be loaded: TypeError: thrown while loading/,
  ],
  'a module with a syntax error': [
    2,
    ['bench', fixture('bad/syntax-error.mjs')],
    /cannot be loaded: SyntaxError/,
  ],
  'a module that throws': [
    4,
    ['bench', fixture('bad/throws.mjs')],
    /throws.mjs at size 2 failed: RangeError: thrown while running/,
  ],
  'a module that exits': [
    4,
    ['bench', fixture('bad/exits.mjs')],
    /exits.mjs at size 2 ended its process \(exit code 7\)/,
  ],
  'a module that hangs': [
    4,
    ['bench', fixture('bad/hangs.mjs'), '--deadline', '2'],
    /hangs.mjs at size 2 did not finish within 2 s/,
  ],
  'a module that blocks for ever': [
    4,
    ['bench', fixture('bad/blocks.mjs'), '--deadline', '2'],
    /blocks.mjs at size 2 did not finish within 2 s/,
  ],
  'a promise that nothing can settle': [
    4,
    ['bench', fixture('bad/never-settles.mjs')],
    /never-settles.mjs at size 2 can never finish/,
  ],
};

describe('bad input gives one clear line and the right exit code, and leaves nothing behind', () => {
  for (const [name, [code, args, says]] of Object.entries(cases))
    test(name, async () => {
      const run = await plimsoll(
        args[0] === 'bench' ? [...args, ...QUICKLY.filter((_, i) => !overrides(args, i))] : args,
      );
      assert.equal(run.code, code, run.stderr);
      const lines = run.stderr.trim().split('\n');
      assert.match(lines.join(' '), says);
      assert.doesNotMatch(run.stderr, /^\s+at /m, 'no stack trace for a mistake of the user');
      assert.deepEqual(run.left, []);
    });
});

/** Whether the option (or the value of the option) at this place of QUICKLY is given by the case itself. */
function overrides(args: readonly string[], index: number): boolean {
  const option = QUICKLY[index]?.startsWith('--') ? QUICKLY[index] : QUICKLY[index - 1];
  return args.includes(option as string);
}

test('a failed workload does not cost the others their results', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  const file = join(directory, 'result.json');
  const args = ['bench', fixture('bad/throws.mjs'), 'zlib', '--ops', '4', '--json', file, ...QUICKLY];
  const run = await plimsoll(args);
  assert.equal(run.code, 4);
  const { workloads } = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(workloads[0].failure.code, 'PLIMSOLL_WORKLOAD_FAILED');
  assert.equal(workloads[1].failure, null);
  assert.ok(workloads[1].sizes[0].rounds.length >= 1);
  rmSync(directory, { recursive: true });
});

test('a preload that changes the size is found out by counting the threads', async () => {
  const run = await plimsoll(['bench', 'zlib', ...QUICKLY], {
    env: { NODE_OPTIONS: `--require ${fixture('sets-pool-size.cjs')}` },
  });
  assert.equal(run.code, 4, run.stderr);
  assert.match(run.stderr, /had 3 pool threads instead of 2/);
});
