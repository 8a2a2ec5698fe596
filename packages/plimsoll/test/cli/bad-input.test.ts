import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fixture, plimsoll, type Refusals, testRefusals } from '../support/cli.js';

const QUICKLY = ['--time', '1', '--sizes', '2', '--baseline', '2', '--quiet'];

const bad: Refusals = {
  'an unknown workload': [['cripto'], 2, /unknown workload "cripto".*file, crypto, zlib/],
  'size 0': [['zlib', '--sizes', '4,0'], 2, /from 1 to 1024, not "0"/],
  'size 1025': [['zlib', '--sizes', '1025'], 2, /from 1 to 1024, not "1025"/],
  'a size that is no number': [['zlib', '--sizes', 'abc'], 2, /not "abc"/],
  'an empty size': [['zlib', '--sizes', ''], 2, /from 1 to 1024, not ""/],
  'a baseline of 2.5': [['zlib', '--baseline', '2.5'], 2, /--baseline.*not "2.5"/],
  'no blocks': [['zlib', '--isolated', '--blocks', '0'], 2, /--blocks.*not "0"/],
  'blocks without --isolated': [['zlib', '--blocks', '3'], 2, /--blocks needs --isolated/],
  'no time': [['zlib', '--time', '0'], 2, /--time.*not "0"/],
  'a scale of 0': [['zlib', '--scale', '0'], 2, /--scale.*not "0"/],
  'an unknown option': [['--sise', '4'], 2, /unknown option '--sise'/],
  'an unknown parameter': [['zlib', '--set', 'zlib.size=3'], 2, /parameters of zlib.*"size"/],
  'a bad parameter': [['zlib', '--set', 'zlib.level=many'], 2, /parameters of zlib\.level/],
  'JSON into no directory': [
    ['zlib', '--json', '/nonexistent/x.json'],
    2,
    /cannot write \/nonexistent\/x.json \(ENOENT\)/,
  ],
  'a module that does not exist': [['./nowhere.mjs'], 2, /no module at .\/nowhere.mjs/],
  'a module that exports nothing': [
    [fixture('bad/exports-nothing.mjs')],
    2,
    /default export must be an async function.*it exports nothing/,
  ],
  'a module whose default is no function': [
    [fixture('bad/not-a-function.mjs')],
    2,
    /default export must be an async function, but it is number/,
  ],
  'a module that throws while loading': [
    [fixture('bad/throws-on-load.mjs')],
    2,
    /cannot be loaded: TypeError: thrown while loading/,
  ],
  'a module with a syntax error': [[fixture('bad/syntax-error.mjs')], 2, /cannot be loaded: SyntaxError/],
  'a module that throws': [
    [fixture('bad/throws.mjs')],
    4,
    /throws.mjs at size 2 failed: RangeError: thrown while running/,
  ],
  'a module that exits': [
    [fixture('bad/exits.mjs')],
    4,
    /exits.mjs at size 2 ended its process \(exit code 7\)/,
  ],
  'a module that hangs': [
    [fixture('bad/hangs.mjs'), '--deadline', '2'],
    4,
    /hangs.mjs at size 2 did not finish within 2 s/,
  ],
  'a module that blocks for ever': [
    [fixture('bad/blocks.mjs'), '--deadline', '2'],
    4,
    /blocks.mjs at size 2 did not finish within 2 s/,
  ],
  'a promise that nothing can settle': [
    [fixture('bad/never-settles.mjs')],
    4,
    /never-settles.mjs at size 2 can never finish/,
  ],
};

describe('bad input', () => {
  testRefusals(bad, ['bench', ...QUICKLY]);
  testRefusals({ 'an unknown command': [['bensh'], 2, /unknown command 'bensh'/] }, []);
});

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
