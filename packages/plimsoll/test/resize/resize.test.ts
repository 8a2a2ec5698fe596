import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { diagnosisSchema, type PoolActivity, poolActivitySchema, type Resize, resizeSchema } from 'plimsoll';
import { listenersOf } from '#plimsoll/host/sockets.js';
import { plimsoll, until } from '../support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface App {
  readonly pid: number;
  readonly child: ChildProcess;
  said(): string;
}

async function start(
  text: string,
  { size = 8, flags = ['--inspect-port=0'], name = 'app.cjs' } = {},
): Promise<App> {
  const file = join(directory, name);
  writeFileSync(file, text);
  const child = spawn(process.execPath, [...flags, file], {
    env: { ...process.env, UV_THREADPOOL_SIZE: String(size) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await until(() => said !== '');
  return { pid: child.pid as number, child, said: () => said };
}

const USES = 'require("node:fs").stat("/", () => console.log("ready"));';
const STAYS = `${USES} setInterval(() => {}, 1000);`;

async function resize(pid: number, size: number): Promise<Resize> {
  const run = await plimsoll(['resize', String(pid), String(size), '--json', '-']);
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.left, []);
  return resizeSchema.parse(JSON.parse(run.stdout));
}

async function failure(pid: number, size: number, ...more: string[]): Promise<[number | null, string]> {
  const run = await plimsoll(['resize', String(pid), String(size), ...more]);
  assert.deepEqual([run.stdout, run.left], ['', []]);
  assert.equal(run.stderr.trimEnd().split('\n').length, 1, run.stderr);
  return [run.code, run.stderr];
}

/** Look at it until so many of its pool threads are busy. */
async function untilBusy(pid: number, busy: number): Promise<PoolActivity['processes'][number]> {
  for (const end = Date.now() + 60_000; ; ) {
    const { stdout } = await plimsoll(['top', String(pid), '--interval', '0.1', '--json', '-']);
    const [seen] = poolActivitySchema.parse(JSON.parse(stdout)).processes;
    if (seen?.busy === busy) return seen;
    assert.ok(Date.now() < end, stdout);
  }
}

const fifo = join(directory, 'dead');
/** Two jobs that never end. */
const HANGS = `const fs = require('node:fs'); for (let index = 0; index < 2; index++) fs.open(${JSON.stringify(fifo)}, 'r', () => {});`;

const hasFfi = isBuiltin('node:ffi');
if (process.platform === 'linux') execFileSync('mkfifo', [fifo]);
const LINUX = { skip: process.platform !== 'linux' && 'needs /proc' };

describe('plimsoll resize', LINUX, () => {
  for (const name of ['app.cjs', 'app.mjs'])
    test(`smaller and as before, ${name}; doctor and top see it; the inspector is closed`, async () => {
      const text = name.endsWith('.mjs')
        ? `import fs from 'node:fs'; ${STAYS.replace('require("node:fs")', 'fs')}`
        : STAYS;
      const { pid } = await start(text, { name });
      const { before, after: now, slowLimit, by } = await resize(pid, 2);
      assert.deepEqual([before, now, slowLimit, by], [8, 2, 1, hasFfi ? 'threads' : 'parking']);
      assert.deepEqual(listenersOf(pid), []);
      const seen = await plimsoll(['doctor', String(pid), '--json', '-']);
      const { processes, findings } = diagnosisSchema.parse(JSON.parse(seen.stdout));
      assert.deepEqual(
        [seen.code, processes[0]?.size, findings.map(({ id }) => id)],
        [0, 2, ['doctor.resized']],
      );
      const { threads, parked } = await untilBusy(pid, 0);
      assert.deepEqual([threads, parked], [2, hasFfi ? 0 : 6]);
      assert.equal((await resize(pid, 8)).before, 2);
      const again = await plimsoll(['doctor', String(pid)]);
      assert.deepEqual([again.code, /Findings/.test(again.stdout)], [0, false], again.stdout);
    });

  test('threads that hang, and more of them that serve what waits', async () => {
    const { pid, said } = await start(`${USES} process.on('SIGUSR2', () => { ${HANGS}
  fs.stat('/', () => console.log('served'));
}); setInterval(() => {}, 1000);`);
    await resize(pid, 2);
    process.kill(pid, 'SIGUSR2');
    await untilBusy(pid, 2);
    assert.doesNotMatch(said(), /served/);
    assert.equal((await resize(pid, 4)).after, 4);
    await until(() => said().includes('served'));
  });

  test('more threads than it was started with', async () => {
    const { pid } = await start(STAYS);
    if (hasFfi) {
      assert.equal((await resize(pid, 24)).after, 24);
      assert.equal(namedThreads(pid), 24);
      return;
    }
    const [code, text] = await failure(pid, 24);
    assert.equal(code, 2);
    assert.match(
      text,
      /cannot have 24 threads, at most 8, .* start the process with UV_THREADPOOL_SIZE=24 or more/,
    );
  });

  test('a pool that nothing has used yet', async () => {
    const { pid } = await start('console.log("ready"); setInterval(() => {}, 1000);');
    const { after: now } = await resize(pid, 3);
    assert.equal(now, 3);
  });

  test('jobs that run too long for a smaller pool: it stays as it was', async () => {
    const { pid } = await start(`${HANGS} console.log('ready'); setInterval(() => {}, 1000);`, { size: 2 });
    await resize(pid, 2);
    const [code, text] = await failure(pid, 1, '--timeout', '1');
    assert.equal(code, 4, text);
    assert.match(text, /did not shrink to 1 threads in time.*allow more time \(--timeout\)/);
    assert.equal((await resize(pid, 2)).before, 2);
  });

  test('the program ends as it would have, and what it does in the pool is done', async () => {
    const { pid, child, said } = await start(`${USES} const stays = setInterval(() => {}, 1000);
process.on('SIGUSR2', () => {
  clearInterval(stays);
  for (let index = 0; index < 20; index++)
    require('node:crypto').pbkdf2('a', 'b', 1000, 8, 'sha1', () => console.log('job'));
});`);
    const closed = once(child, 'close');
    await resize(pid, 1);
    process.kill(pid, 'SIGUSR2');
    assert.deepEqual(await closed, [0, null]);
    assert.equal(said().match(/job/g)?.length, 20);
  });
});

describe('what cannot be resized', LINUX, () => {
  test('a process that is gone, or is not Node, or a size that is none', async () => {
    assert.deepEqual(await failure(4194304, 4), [2, 'plimsoll: there is no process 4194304\n']);
    const sleeping = spawn('sleep', ['60'], { stdio: 'ignore' });
    running.push(sleeping);
    await once(sleeping, 'spawn');
    await until(() => readFileSync(`/proc/${sleeping.pid}/comm`, 'utf8') === 'sleep\n');
    assert.deepEqual(await failure(sleeping.pid as number, 4), [
      2,
      `plimsoll: process ${sleeping.pid} is not a Node.js process\n`,
    ]);
    for (const size of ['0', '1025', 'x', '1.5']) {
      const run = await plimsoll(['resize', '1', size]);
      assert.equal(run.code, 2);
      assert.match(
        run.stderr,
        /size: a pool size is default, double, cpus or a whole number from 1 to 1024, not/,
      );
    }
  });

  test('a process whose main thread does not answer', async () => {
    const { pid, child } = await start('require("node:fs").writeSync(1, "ready"); for (;;);');
    const [code, text] = await failure(pid, 4, '--timeout', '0.2');
    assert.equal(code, 4);
    assert.match(text, /its main thread is in a call that does not return/);
    assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
  });

  const SWITCH = '--disable-sigusr1';
  test('an inspector that is switched off', {
    skip: !process.allowedNodeEnvironmentFlags.has(SWITCH) && 'this Node has no such flag',
  }, async () => {
    const { pid } = await start(STAYS, { flags: [SWITCH] });
    const [code, text] = await failure(pid, 4);
    assert.equal(code, 2);
    assert.match(text, /its inspector switched off \(--disable-sigusr1/);
  });
});

/** Of a Node that names them. */
const namedThreads = (pid: number): number =>
  execFileSync('sh', ['-c', `cat /proc/${pid}/task/*/comm 2>/dev/null; true`], { encoding: 'utf8' }).match(
    /libuv-worker/g,
  )?.length ?? 0;
