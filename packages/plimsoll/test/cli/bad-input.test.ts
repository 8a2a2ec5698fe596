import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fixture, plimsoll } from '../support/cli.js';

const QUICKLY = ['--time', '1', '--sizes', '2', '--baseline', '2', '--quiet'];

interface Case {
  readonly args: readonly string[];
  readonly code: number;
  readonly says: RegExp;
}

const cases: Record<string, Case> = {
  'an unknown workload': {
    args: ['bench', 'cripto'],
    code: 2,
    says: /unknown workload "cripto".*file, crypto, zlib/,
  },
  'size 0': { args: ['bench', 'zlib', '--sizes', '4,0'], code: 2, says: /from 1 to 1024, not "0"/ },
  'size 1025': { args: ['bench', 'zlib', '--sizes', '1025'], code: 2, says: /from 1 to 1024, not "1025"/ },
  'a size that is no number': { args: ['bench', 'zlib', '--sizes', 'abc'], code: 2, says: /not "abc"/ },
  'an empty size': { args: ['bench', 'zlib', '--sizes', ''], code: 2, says: /from 1 to 1024, not ""/ },
  'a baseline of 2.5': {
    args: ['bench', 'zlib', '--baseline', '2.5'],
    code: 2,
    says: /--baseline.*not "2.5"/,
  },
  'no blocks': { args: ['bench', 'zlib', '--isolated', '--blocks', '0'], code: 2, says: /--blocks.*not "0"/ },
  'blocks without --isolated': {
    args: ['bench', 'zlib', '--blocks', '3'],
    code: 2,
    says: /--blocks needs --isolated/,
  },
  'no time': { args: ['bench', 'zlib', '--time', '0'], code: 2, says: /--time.*not "0"/ },
  'a scale of 0': { args: ['bench', 'zlib', '--scale', '0'], code: 2, says: /--scale.*not "0"/ },
  'an unknown option': { args: ['bench', '--sise', '4'], code: 2, says: /unknown option '--sise'/ },
  'an unknown command': { args: ['bensh'], code: 2, says: /unknown command 'bensh'/ },
  'an unknown parameter': {
    args: ['bench', 'zlib', '--set', 'zlib.size=3'],
    code: 2,
    says: /parameters of zlib.*"size"/,
  },
  'a bad parameter': {
    args: ['bench', 'zlib', '--set', 'zlib.level=12'],
    code: 2,
    says: /parameters of zlib\.level/,
  },
  'JSON into no directory': {
    args: ['bench', 'zlib', '--json', '/nonexistent/x.json'],
    code: 2,
    says: /cannot write \/nonexistent\/x.json \(ENOENT\)/,
  },
  'a module that does not exist': {
    args: ['bench', './nowhere.mjs'],
    code: 2,
    says: /no module at .\/nowhere.mjs/,
  },
  'a module that exports nothing': {
    args: ['bench', fixture('bad/exports-nothing.mjs')],
    code: 2,
    says: /default export must be an async function.*it exports nothing/,
  },
  'a module whose default is no function': {
    args: ['bench', fixture('bad/not-a-function.mjs')],
    code: 2,
    says: /default export must be an async function, but it is number/,
  },
  'a module that throws while loading': {
    args: ['bench', fixture('bad/throws-on-load.mjs')],
    code: 2,
    says: /cannot be loaded: TypeError: thrown while loading/,
  },
  'a module with a syntax error': {
    args: ['bench', fixture('bad/syntax-error.mjs')],
    code: 2,
    says: /cannot be loaded: SyntaxError/,
  },
  'a module that throws': {
    args: ['bench', fixture('bad/throws.mjs')],
    code: 4,
    says: /throws.mjs at size 2 failed: RangeError: thrown while running/,
  },
  'a module that exits': {
    args: ['bench', fixture('bad/exits.mjs')],
    code: 4,
    says: /exits.mjs at size 2 ended its process \(exit code 7\)/,
  },
  'a module that hangs': {
    args: ['bench', fixture('bad/hangs.mjs'), '--deadline', '2'],
    code: 4,
    says: /hangs.mjs at size 2 did not finish within 2 s/,
  },
  'a module that blocks for ever': {
    args: ['bench', fixture('bad/blocks.mjs'), '--deadline', '2'],
    code: 4,
    says: /blocks.mjs at size 2 did not finish within 2 s/,
  },
  'a promise that nothing can settle': {
    args: ['bench', fixture('bad/never-settles.mjs')],
    code: 4,
    says: /never-settles.mjs at size 2 can never finish/,
  },
};

describe('bad input gives one clear line and the right exit code, and leaves nothing behind', () => {
  for (const [name, { args, code, says }] of Object.entries(cases))
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
  const run = await plimsoll([
    'bench',
    fixture('bad/throws.mjs'),
    'zlib',
    '--ops',
    '4',
    '--json',
    file,
    ...QUICKLY,
  ]);
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
