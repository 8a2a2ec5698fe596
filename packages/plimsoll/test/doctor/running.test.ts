import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { type Diagnosis, diagnosisSchema, poolActivitySchema } from 'plimsoll';
import { fromOutside } from '#plimsoll/doctor/from-outside.js';
import { variableInMemory } from '#plimsoll/host/process-memory.js';
import { candidates, countPool, type Thread } from '#plimsoll/host/process-pool.js';
import { threadActivities } from '#plimsoll/host/thread-activity.js';
import { fakeRoot } from '../host/fake-root.js';
import { plimsoll, until } from '../support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** A program that says something once a first job has run. */
async function start(text: string, variable?: string, name = 'app.cjs'): Promise<number> {
  const file = join(directory, name);
  writeFileSync(file, text);
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const child = spawn(process.execPath, [file], {
    env: variable === undefined ? env : { ...env, UV_THREADPOOL_SIZE: variable },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await until(() => said.includes('ready'));
  return child.pid as number;
}

const USES = "require('node:fs').stat('/', () => console.log('ready')); setInterval(() => {}, 1000);";
/** What sees the processes of this machine as they are, but not their memory. */
const withoutMemory = (): string => {
  const root = mkdtempSync(join(directory, 'root-'));
  symlinkSync('/proc', join(root, 'proc'));
  return root;
};

async function doctor(
  ...words: string[]
): Promise<{ code: number | null; result: Diagnosis; ids: string[] }> {
  const { code, stdout, stderr } = await plimsoll(['doctor', '--json', '-', ...words]);
  assert.notEqual(stdout, '', stderr);
  const result = diagnosisSchema.parse(JSON.parse(stdout));
  return { code, result, ids: result.findings.map(({ id }) => id) };
}

describe('doctor PID', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  test('a size that the program sets in its first line is counted, by top too', async () => {
    const pid = await start(`process.env.UV_THREADPOOL_SIZE = '16'; ${USES}`);
    const { code, result, ids } = await doctor(String(pid));
    const [found] = result.processes;
    assert.deepEqual([code, found?.size, found?.asked, found?.countedBy], [0, 16, '16', 'memory']);
    assert.deepEqual(ids, ['doctor.set-in-program']);
    const look = await plimsoll(['top', String(pid), '--interval', '0.2', '--json', '-']);
    const [top] = poolActivitySchema.parse(JSON.parse(look.stdout)).processes;
    assert.deepEqual([top?.threads, top?.countedBy], [16, 'memory']);
    assert.equal(top?.seen.filter(({ role }) => role === 'pool').length, 16);
  });

  test('one that it sets too late is not the one asked for', async () => {
    const pid = await start(`${USES} process.env.UV_THREADPOOL_SIZE = '9';`, '5');
    await until(() => variableInMemory(pid, 'UV_THREADPOOL_SIZE') === '9');
    const { code, result, ids } = await doctor(String(pid));
    assert.deepEqual([code, result.processes[0]?.size, ids], [1, 5, ['doctor.set-too-late']]);
  });

  test('a pool that nothing has used: cannot tell', async () => {
    const pid = await start("console.log('ready'); setInterval(() => {}, 1000);", '6');
    const { code, result, ids } = await doctor(String(pid));
    assert.deepEqual([code, result.isRight, ids], [3, null, ['doctor.not-used']]);
    const { stdout } = await plimsoll(['doctor', String(pid)]);
    assert.match(stdout, /Cannot tell whether the pool has the size that you set\.\n$/);
  });

  test('where memory may not be read, by name or by the instant of creation', async () => {
    const pid = await start(USES, '11');
    const { threads, countedBy } = fromOutside(pid, withoutMemory());
    if (countedBy === 'name') return assert.equal(threads, 11);
    const created = candidates(pid, threadActivities(pid) ?? []).map(({ createdTicks }) => createdTicks);
    // On a crowded machine a process may be held up while it creates them; then the instant does not tell.
    const isOneInstant = Math.max(...created) - Math.min(...created) <= 2;
    assert.deepEqual(
      [threads, countedBy, created.length],
      isOneInstant ? [11, 'creation', 11] : [null, null, 11],
    );
  });

  test('both processes of a PM2 cluster, by the file of the guide', async () => {
    const bin = join(dirname(createRequire(import.meta.url).resolve('pm2/package.json')), 'bin/pm2');
    const script = join(directory, 'server.cjs');
    writeFileSync(script, "setInterval(() => require('node:fs').stat('/', () => {}), 50);");
    const file = join(directory, 'ecosystem.config.cjs');
    const env = { UV_THREADPOOL_SIZE: '16' };
    const app = { name: 'app', script, exec_mode: 'cluster', instances: 2, env };
    writeFileSync(file, `module.exports = ${JSON.stringify({ apps: [app] })};`);
    const pm2Home = { ...process.env, PM2_HOME: join(directory, 'pm2') };
    const pm2 = (...args: string[]): string =>
      execFileSync(process.execPath, [bin, ...args], { env: pm2Home, encoding: 'utf8' });
    try {
      pm2('start', file);
      const pids = pm2('pid', 'app').trim().split('\n').map(Number);
      assert.equal(pids.length, 2);
      for (const pid of pids) {
        await until(() => (countPool(pid, 4)?.threads ?? 0) > 0);
        const { code, result, ids } = await doctor(String(pid));
        const [found] = result.processes;
        assert.deepEqual(
          [code, found?.size, found?.script, ids],
          [0, 16, script, ['doctor.pm2-environment']],
        );
      }
      const own = await plimsoll(['doctor', '--json', '-', '--', process.execPath, bin, 'restart', 'app'], {
        env: pm2Home,
      });
      const { isRight, findings } = diagnosisSchema.parse(JSON.parse(own.stdout));
      assert.deepEqual([own.code, isRight], [3, null]);
      assert.ok(
        findings.some(({ id, text }) => id === 'doctor.pm2-command' && text.includes('plimsoll doctor PID')),
      );
    } finally {
      pm2('kill');
    }
  });
});

describe('threads that were created in one instant', () => {
  /** Of a process 1 without names: main, six of the runtime, and these. */
  const process1 = (...ticks: number[]): Thread[] =>
    [0, 1, 1, 1, 1, 1, 2, ...ticks].map((createdTicks, index) => ({
      tid: index + 1,
      name: 'node',
      createdTicks,
    }));
  const count = (root: string, expected: number, ...ticks: number[]): number | null =>
    countPool(1, expected, root, process1(...ticks))?.threads ?? null;

  test('are the pool, however many, but where there are several such groups', (t) => {
    const root = fakeRoot(t, {});
    assert.equal(count(root, 4, ...Array(16).fill(50)), 16);
    assert.equal(count(root, 4), 0);
    assert.equal(count(root, 4, 50, 50, 50, 51, 90), 4, 'the size that was asked for decides');
    assert.equal(count(root, 8, 50, 50, 50, 51, 90), null);
  });

  test('a Worker, whose event loop waits for events, is none of them', (t) => {
    const root = fakeRoot(t, {
      '/proc/1/task/8/wchan': 'do_epoll_wait',
      '/proc/1/task/9/wchan': 'futex_do_wait',
    });
    assert.equal(count(root, 4, 50, 50, 50), 2);
  });

  test('names decide where there are some', () => {
    const named = [...process1(50), { tid: 99, name: 'libuv-worker', createdTicks: 60 }];
    assert.deepEqual(countPool(1, 4, '/none', named), { threads: 1, by: 'name' });
  });
});
