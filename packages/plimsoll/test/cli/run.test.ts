import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { bench, generations, workload } from '../bench/planted.js';
import { MAIN, plimsoll, type Refusals, testRefusals } from '../support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));

/** Uses the pool, then counts its threads: what it really got, where the kernel tells. */
const COUNTING = `
const { readdirSync } = require('node:fs');
const threads = () => process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0;
const before = threads();
require('node:crypto').pbkdf2('', '', 1, 1, 'sha1', () =>
  console.log(process.env.UV_THREADPOOL_SIZE, threads() - before));`;

const QUIETLY = ['run', '--size', '4', '--quiet', '--', process.execPath, '-e'];
const counted = (size: number): string => `${size} ${process.platform === 'linux' ? size : 0}\n`;

function result(name: string, sizes: Record<string, number | null>): string {
  const document = bench(
    Object.keys(sizes).map((work) => workload(work, new Map([[4, generations([100, 101, 99, 100])]]))),
  );
  const workloads = document.workloads.map((one) => ({ ...one, recommended: sizes[one.name] ?? null }));
  const path = join(directory, name);
  writeFileSync(path, JSON.stringify({ ...document, workloads }));
  return path;
}

describe('plimsoll run', () => {
  test('the command has as many pool threads as were asked for', async () => {
    const run = await plimsoll(['run', '--size', '7', '--', process.execPath, '-e', COUNTING]);
    assert.deepEqual([run.code, run.stdout, run.left], [0, counted(7), []]);
    assert.equal(run.stderr, 'plimsoll: UV_THREADPOOL_SIZE=7 (--size 7)\n');
  });

  test('the size comes from a result', async () => {
    const size = ['--size', result('one.json', { crypto: 5, dns: 5 })];
    const run = await plimsoll(['run', '--quiet', ...size, '--', process.execPath, '-e', COUNTING]);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, counted(5), '']);
  });

  test('--max: as many threads as the size, more while they hang, and what is no maximum is refused', {
    skip: process.platform !== 'linux' && 'needs Linux',
  }, async () => {
    const fifo = join(directory, 'hangs');
    execFileSync('mkfifo', [fifo]);
    const path = JSON.stringify(fifo);
    // The stat waits behind three jobs that hang; the warning about the rescue ends the program.
    const script = `const fs = require('node:fs');
const { threadPool } = require(${JSON.stringify(createRequire(import.meta.url).resolve('@plimsoll/monitor'))});
const settled = setInterval(() => {
  if (threadPool.size !== 3) return;
  clearInterval(settled);
  for (let job = 0; job < 3; job++) fs.open(${path}, 'r', (_, file) => fs.closeSync(file));
  process.once('warning', () => {
    console.log(process.env.UV_THREADPOOL_SIZE);
    // It stays open: a job whose thread comes late finds it.
    fs.openSync(${path}, 'w');
  });
  fs.stat('/', () => {});
}, 5);`;
    const run = await plimsoll(['run', '--size', '3', '--max', '9', '--', process.execPath, '-e', script]);
    assert.deepEqual([run.code, run.stdout, run.left], [0, '3\n', []]);
    assert.match(
      run.stderr,
      /PLIMSOLL_POOL_RESCUED\] PlimsollWarning: libuv's pool: 3 → 6 threads; jobs waited/,
    );
    const wrong = await plimsoll(['run', '--size', '4', '--max', '4', '--', process.execPath, '-e', '']);
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [2, 'plimsoll: --max: must be more than --size, 4, not 4\n'],
    );
  });

  test('it ends as the command ends: by its code, or by its signal', async () => {
    const code = await plimsoll([...QUIETLY, 'process.exit(7)']);
    assert.deepEqual([code.code, code.stderr], [7, '']);
    const suicide = 'process.kill(process.pid, "SIGKILL")';
    const child = spawn(process.execPath, [MAIN, ...QUIETLY, suicide], { stdio: 'ignore' });
    assert.deepEqual(await once(child, 'exit'), process.platform === 'win32' ? [1, null] : [null, 'SIGKILL']);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    test(`${signal} reaches the command, which may end by itself`, {
      skip: process.platform === 'win32',
    }, async () => {
      const script = `process.once('${signal}', () => { console.log('stopping'); process.exit(3); });
setInterval(() => {}, 1000); console.log('ready');`;
      const child = spawn(process.execPath, [MAIN, ...QUIETLY, script], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let text = '';
      for await (const chunk of child.stdout) {
        if (text === '') child.kill(signal);
        text += chunk;
      }
      assert.equal(text, 'ready\nstopping\n');
      if (child.exitCode === null) await once(child, 'exit');
      assert.equal(child.exitCode, 3);
    });

  test('arguments are passed on as they are, through no shell', async () => {
    const odd = ['a b', '$HOME', '`id`', ';', '"', ''];
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))';
    const run = await plimsoll([...QUIETLY, script, '--', ...odd]);
    assert.deepEqual(JSON.parse(run.stdout), odd);
  });

  const bad: Refusals = {
    'no size': [[], 2, /required option '--size <size>' not specified/],
    'a rule of thumb': [['--size', 'auto'], 2, /a whole number from 1 to 1024, not "auto"/],
    'a size out of range': [['--size', '0'], 2, /a whole number from 1 to 1024, not "0"/],
    'a file that is not there': [['--size', './none.json'], 2, /cannot read \.\/none\.json \(ENOENT\)/],
    'a result that knows no size': [
      ['--size', result('none.json', { crypto: null })],
      2,
      /recommends no size/,
    ],
    'several sizes': [['--size', result('two.json', { crypto: 3, dns: 9 })], 2, /3 for crypto and 9 for dns/],
    'a program that is not there': [
      ['--size', '4', '--quiet', '--', './no-such-program'],
      4,
      /^plimsoll: cannot start .*no-such-program \(ENOENT\) $/,
    ],
  };
  testRefusals(bad, ['run'], ['--', process.execPath, '-e', '0']);
});
