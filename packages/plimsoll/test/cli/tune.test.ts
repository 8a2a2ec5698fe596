import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { describe, test } from 'node:test';
import { tuneSchema } from 'plimsoll';
import { limitedCgroup, removeCgroup, within } from '../support/cgroup.js';
import { fixture, plimsoll, processesWith, until } from '../support/cli.js';
import {
  ask,
  load,
  portOf,
  servingThreads,
  startApp,
  untilLeftAlone,
  untilServing,
} from '../support/live.js';

const linux = process.platform === 'linux' ? {} : { skip: 'looks at threads and processes in /proc' };
const node = process.execPath;
const server = [node, fixture('tune/server.cjs'), 'http1', '20'];

describe('plimsoll tune', linux, () => {
  test('a server under requests of its own: a document on standard output, exit code 0, nothing left', async () => {
    const run = await plimsoll(
      [
        'tune',
        '--sizes',
        '2,4',
        '--time',
        '3',
        '--url',
        '/',
        '-c',
        '4',
        '--seed',
        '7',
        '--json',
        '-',
        '--',
        ...server,
      ],
      {},
    );
    assert.equal(run.code, 0, run.stderr);
    const { method, command, sizes } = tuneSchema.parse(JSON.parse(run.stdout));
    assert.deepEqual(
      [method.mode, method.seed, method.traffic, command],
      ['live', 7, '/ (4 connections)', server],
    );
    assert.equal(method.resizing, isBuiltin('node:ffi') ? 'threads' : 'parking');
    assert.deepEqual(
      sizes.map(({ size }) => size),
      [2, 4],
    );
    assert.match(run.stderr, /waiting for requests at http:\/\/127\.0\.0\.1:\d+/);
    assert.deepEqual(run.left, []);
  });

  test('Ctrl-C in the middle of it: what was measured is told, exit code 130, nothing left', async () => {
    let directory = '';
    const options = ['tune', '--sizes', '2,4', '--time', '60', '--url', '/', '-c', '4', '--json', '-'];
    const run = await plimsoll([...options, '--', ...server], {
      meanwhile: (child, temporary) => {
        directory = temporary;
        let said = '';
        child.stderr?.on('data', (text) => {
          const before = said;
          said += text;
          const has = (one: string): boolean => /[1-9] blocks?/.test(one);
          if (!has(before) && has(said)) child.kill('SIGINT');
        });
      },
    });
    assert.equal(run.code, 130, run.stderr);
    assert.equal(tuneSchema.parse(JSON.parse(run.stdout)).method.stop, 'interrupted');
    assert.deepEqual(run.left, []);
    assert.deepEqual(processesWith(directory), []);
  });

  test('a process that serves: it has its old size again, also after Ctrl-C and when plimsoll is killed', async (context) => {
    const child = startApp(['tune/server.cjs', 'http1'], { UV_THREADPOOL_SIZE: '8' });
    context.after(() => child.kill('SIGKILL'));
    const port = await portOf(child);
    await ask(port, '/');
    load(context, port, ['/'], 4, 40);
    const options = ['tune', '--sizes', '2,8', '--json', '-', String(child.pid)];
    const whole = await plimsoll([...options, '--time', '6']);
    assert.equal(whole.code, 0, whole.stderr);
    const { method, baseline, pid } = tuneSchema.parse(JSON.parse(whole.stdout));
    assert.deepEqual([method.mode, baseline, pid], ['attached', 8, child.pid]);
    await untilServing(child.pid, 8);

    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      await untilLeftAlone(child.pid);
      let isSmall = false;
      const run = await plimsoll([...options, '--time', '60'], {
        meanwhile: (tuning) =>
          void until(() => servingThreads(child.pid) === 2).then(() => {
            isSmall = true;
            tuning.kill(signal);
          }),
      });
      assert.ok(isSmall);
      assert.equal(run.code, signal === 'SIGINT' ? 130 : null, run.stderr);
      await untilServing(child.pid, 8);
    }
  });

  test('sizes for which there is no room for threads are left out, and it is said', async (context) => {
    const cgroup = limitedCgroup('pids', { 'pids.max': '150' });
    if (cgroup === null) return context.skip('needs a pids cgroup that can be written to');
    try {
      const options = ['tune', '--sizes', '2,4,512', '--time', '2', '--url', '/', '--json', '-'];
      const run = await plimsoll([...options, '--', ...server], { command: within(cgroup) });
      assert.equal(run.code, 0, run.stderr);
      const { findings, sizes } = tuneSchema.parse(JSON.parse(run.stdout));
      assert.match(findings.find(({ id }) => id === 'tune.sizes-left-out')?.text ?? '', /512/);
      assert.ok(sizes.every(({ size }) => size <= 4));
    } finally {
      await removeCgroup(cgroup);
    }
  });
});

describe('bad input of plimsoll tune', linux, () => {
  const command = ['--', node, '-e', ''];
  const cases: Record<string, [args: readonly string[], code: number, says: RegExp]> = {
    'no command': [[], 2, /must name a program to run .*, or give a PID/],
    'a pipe in --on-port': [
      ['--on-port', 'autocannon x | tee y', ...command],
      2,
      /no shell is started, so "\|"/,
    ],
    'two who send': [
      ['--on-port', 'a', '--url', '/', ...command],
      2,
      /--on-port and --url: use one of the two, not both/,
    ],
    'connections for nobody': [['-c', '4', ...command], 2, /--connections needs --url/],
    'connections and a rate': [
      ['--url', '/', '-c', '4', '--rate', '9', ...command],
      2,
      /--connections and --rate: use one of the two/,
    ],
    'no URL': [['--url', 'localhost:3000', ...command], 2, /must be a URL such as .*, not "localhost:3000"/],
    'no header': [['--url', '/', '-H', 'x', ...command], 2, /headers: must look like .*, not "x"/],
    'no method': [['--url', '/', '-m', 'G T', ...command], 2, /method: must be .*, not "G T"/],
    'size 0': [['--sizes', '0', ...command], 2, /from 1 to 1024, not "0"/],
    'no time': [['--time', '0', ...command], 2, /--time.*not "0"/],
    'a command that is not there': [['--', 'no-such-program'], 4, /cannot start "no-such-program"/],
    'a command that fails': [['--', node, '-e', 'null.x'], 4, /TypeError: Cannot read properties of null/],
    'no port': [['--url', '/', ...command], 4, /ended \(exit code 0\) before it listened on a port/],
    'requests for a process': [['--url', '/', '4711'], 2, /--url and pid: use one of the two/],
    'a process that is gone': [['4194303'], 2, /there is no process 4194303/],
  };
  for (const [name, [args, code, says]] of Object.entries(cases))
    test(name, async () => {
      const run = await plimsoll(['tune', '--quiet', ...args]);
      assert.match(run.stderr, says);
      assert.doesNotMatch(run.stderr, /^\s+at .*plimsoll/m, 'a mistake of the user prints no stack of ours');
      assert.equal(run.code, code, run.stderr);
      assert.deepEqual(run.left, []);
    });

  test('a process that is not a Node.js process', async () => {
    const other = spawn('sleep', ['60']);
    try {
      const run = await plimsoll(['tune', String(other.pid)]);
      assert.equal(run.code, 2);
      assert.match(run.stderr, /process \d+ is not a Node\.js process/);
    } finally {
      other.kill();
    }
  });
});
