import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type PoolActivity, poolActivitySchema } from 'plimsoll';
import { cpuCount } from '#plimsoll/host/cpu.js';
import { Guardian } from '#plimsoll/lab/guardian.js';
import { openLocalResolver } from '#plimsoll/lab/resolver/resolver.js';
import { MAIN, plimsoll, until } from '../support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));

const isLinux = process.platform === 'linux';
const namespaces = isLinux && spawnSync('unshare', ['--mount', '--net', 'true']).status === 0;

type Thread = PoolActivity['processes'][number]['seen'][number];

type Found = PoolActivity['processes'][number];

/** Of no other run of this file. */
const NAME = `looked-at-${process.pid}`;

/** A program that says `ready`, looked at until it does what it is to do, and ended. */
async function lookAt(
  script: string,
  size: number,
  isThere: (found: Found) => boolean = () => true,
  prefix: readonly string[] = [],
): Promise<Found> {
  const [command = '', ...args] = [
    ...prefix,
    process.execPath,
    '-e',
    `${script}; setInterval(() => {}, 1000); setTimeout(() => console.log('ready'), 100)`,
    NAME,
  ];
  const child = spawn(command, args, {
    env: { ...process.env, UV_THREADPOOL_SIZE: String(size) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    for (const end = Date.now() + 60_000; ; ) {
      const found = await look();
      if (isThere(found)) return found;
      assert.ok(Date.now() < end, JSON.stringify(found));
    }
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

async function look(): Promise<Found> {
  const run = await plimsoll(['top', NAME, '--once', '--interval', '0.5', '--json', '-']);
  assert.equal(run.code, 0, run.stderr);
  const [found] = poolActivitySchema.parse(JSON.parse(run.stdout)).processes;
  return found ?? assert.fail();
}

const poolOf = (seen: readonly Thread[]): Thread['doing'][] =>
  seen.filter(({ role }) => role === 'pool').map(({ doing }) => doing);

describe('what a pool thread is doing', { skip: !isLinux && 'needs /proc' }, () => {
  test('blocked in the open of a FIFO, by its path; the others idle', async () => {
    const fifo = join(directory, 'a fifo');
    execFileSync('mkfifo', [fifo]);
    const script = `require('node:fs').open(${JSON.stringify(fifo)}, 'r', () => {})`;
    const blocked = { what: 'blocked', call: 'openat', on: fifo };
    const { threads, size, tellsCalls } = await lookAt(script, 3, ({ seen, busy }) => {
      const doing = poolOf(seen).toSorted((a, b) => a.what.localeCompare(b.what));
      return busy === 1 && isDeepStrictEqual(doing, [blocked, { what: 'idle' }, { what: 'idle' }]);
    });
    assert.deepEqual([tellsCalls, threads, size], [true, 3, 3]);
  });

  test('blocked in the read of a pipe', async () => {
    const fifo = join(directory, 'read');
    execFileSync('mkfifo', [fifo]);
    const script = `const fs = require('node:fs'); fs.open(${JSON.stringify(fifo)}, 'r+', (_, file) => fs.read(file, Buffer.alloc(9), 0, 9, null, () => {}))`;
    const blocked = { what: 'blocked', call: 'read', on: fifo };
    await lookAt(script, 2, ({ seen }) => poolOf(seen).some((doing) => isDeepStrictEqual(doing, blocked)));
  });

  test('running, and starved of cores when there are more of them than cores', async () => {
    const size = 4 * Math.max(2, cpuCount());
    const script = `const { pbkdf2 } = require('node:crypto'); const go = () => pbkdf2('a', 'b', 2e5, 64, 'sha512', go); for (let i = 0; i < ${4 * size}; i++) go()`;
    const count = ({ seen }: Found, state: Thread['doing']['what']): number =>
      poolOf(seen).filter(({ what }) => what === state).length;
    // They starve each other, not plimsoll.
    const found = await lookAt(
      script,
      size,
      (one) => count(one, 'waiting for a core') > size / 2 && one.busy >= size - 1,
      ['nice'],
    );
    assert.equal(found.threads, size);
    const [running, starved] = [count(found, 'running'), count(found, 'waiting for a core')];
    assert.ok(running + starved >= size - 1, JSON.stringify(found.seen));
  });

  test('in a lookup, with the name server', {
    skip: !namespaces && 'needs the right to make namespaces',
  }, async () => {
    const guardian = new Guardian();
    const resolver = await openLocalResolver(60_000, guardian);
    const script = `require('node:dns').lookup(${JSON.stringify(resolver.names[0])}, () => {})`;
    const isLookup = (doing: Thread['doing']): boolean =>
      /"on":"lookup at [\d.]+:53"/.test(JSON.stringify(doing));
    try {
      await lookAt(script, 2, ({ seen }) => poolOf(seen).some(isLookup), resolver.prefix);
    } finally {
      await resolver.close();
      await guardian.close();
    }
  });

  test('a blocked event loop is running, its pool idle; Workers are no pool threads', async () => {
    const script = `const { Worker } = require('node:worker_threads'); new Worker('setInterval(() => {}, 1000)', { eval: true });
require('node:crypto').pbkdf2('a', 'b', 1, 1, 'sha1', () => setTimeout(() => { for (;;); }, 300))`;
    const isBlocked = ({ seen, busy }: Found): boolean =>
      busy === 0 && seen.some(({ role, doing }) => role === 'event loop' && doing.what !== 'idle');
    const { seen, threads } = await lookAt(script, 4, isBlocked);
    assert.equal(threads, 4);
    assert.ok(seen.some(({ role }) => role === 'other'));
  });

  test('a pool that was never used has no threads', async () => {
    const { threads, size } = await lookAt('0', 6);
    assert.deepEqual([threads, size], [0, 6]);
  });
});

describe('plimsoll top', { skip: !isLinux && 'needs /proc' }, () => {
  test('a PID has the processes under it', async () => {
    const script = `const cluster = require('node:cluster');
if (cluster.isPrimary) {
  let online = 0;
  cluster.on('online', () => { if (++online === 2) console.log('ready'); });
  cluster.fork();
  cluster.fork();
}
setInterval(() => {}, 1000)`;
    const file = join(directory, 'cluster.cjs');
    writeFileSync(file, script);
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const run = await plimsoll(['top', String(child.pid), '--interval', '0.2']);
    child.kill('SIGKILL');
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /^plimsoll top {2}0 of 0 pool threads busy in 3 processes\n/);
    assert.doesNotMatch(run.stdout, /\p{Cc}(?<!\n)/u);
  });

  /** In a terminal of so many columns, of util-linux's script(1), with these keys, the last one once a text is there. */
  async function inTerminal(columns: number, keys: string): Promise<{ code: number | null; text: string }> {
    const line = `stty cols ${columns} rows 24; exec '${process.execPath}' '${MAIN}' top ${NAME} --interval 0.2`;
    const args = ['--inspect-port=0', '-e', 'setInterval(() => {}, 1000)', NAME];
    const target = spawn(process.execPath, args, { stdio: 'ignore' });
    const terminal = spawn('script', ['-qec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let text = '';
    terminal.stdout.on('data', (chunk) => {
      text += chunk;
    });
    const ended = once(terminal, 'close');
    try {
      for (const key of keys) {
        const { length } = text;
        await until(
          () => terminal.exitCode !== null || (text.includes('plimsoll top') && text.length > length),
        );
        terminal.stdin.write(key);
      }
      await ended;
    } finally {
      terminal.kill('SIGKILL');
      target.kill('SIGKILL');
    }
    return { code: terminal.exitCode, text };
  }

  test('live: q ends it, and the terminal is as before', async () => {
    const { code, text } = await inTerminal(80, 'xq');
    assert.equal(code, 0, text);
    assert.match(text, /q quits/);
    assert.ok(
      text.includes('\u001b[?1049h') && text.trimEnd().endsWith('\u001b[?25h\u001b[?1049l'),
      text.slice(-80),
    );
  });

  test('a terminal of 40 columns gets a clear line', async () => {
    const { code, text } = await inTerminal(40, '');
    assert.equal(code, 2);
    assert.match(text, /top needs 60 columns, this terminal has 40/);
    assert.doesNotMatch(text, /1049/);
  });

  test('bad input is one clear line', async () => {
    const sleeping = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(sleeping, 'spawn');
    await until(() => readFileSync(`/proc/${sleeping.pid}/comm`, 'utf8') === 'sleep\n');
    for (const [args, says] of [
      [['4194304'], /there is no process 4194304/],
      [[String(sleeping.pid)], /is not a Node\.js process/],
      [['no such program'], /no Node\.js process has "no such program" in its command line/],
      [['--interval', '0'], /--interval/],
      [['--interval', '0.01'], /must be at least 0\.1 and at most 3600 seconds, not "0\.01"/],
    ] as const) {
      const run = await plimsoll(['top', ...args]);
      assert.deepEqual([run.code, run.stdout], [2, ''], run.stderr);
      assert.match(run.stderr, says);
      assert.equal(run.stderr.trimEnd().split('\n').length, 1, run.stderr);
    }
    sleeping.kill('SIGKILL');
  });
});
