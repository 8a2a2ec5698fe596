import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { diagnosisSchema } from 'plimsoll';
import type { MachineFacts, ProcessFacts } from '#plimsoll/doctor/facts.js';
import { countPool } from '#plimsoll/host/process-pool.js';
import { diagnose } from '#plimsoll/report/findings/doctor.js';
import { limitedCgroup, removeCgroup, within } from '../support/cgroup.js';
import { plimsoll, until } from '../support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));
const isLinux = process.platform === 'linux';

function program(name: string, text: string): string[] {
  const file = join(directory, name);
  writeFileSync(file, text);
  return [process.execPath, file];
}

const STAYS = 'setInterval(() => {}, 1000);';
const BLOCKS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const USES = "require('node:crypto').pbkdf2('a', 'b', 1, 1, 'sha1', () => {});";

interface Seen {
  readonly code: number | null;
  readonly ids: string[];
  readonly size: number | undefined;
  readonly usedBy: string | undefined;
}

async function examine(
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
  before: readonly string[] = [],
  wait = '0.2',
): Promise<Seen> {
  const run = await plimsoll(['doctor', '--wait', wait, '--json', '-', '--', ...command], {
    ...{ env, command: before },
  });
  const { processes, findings } = diagnosisSchema.parse(JSON.parse(run.stdout));
  assert.deepEqual(run.left, []);
  return {
    ...{ code: run.code, ids: findings.map(({ id }) => id) },
    ...{ size: processes[0]?.size, usedBy: processes[0]?.usedBy },
  };
}

describe('every wrong setting, provoked', () => {
  for (const [text, size] of [
    ['', 1],
    ['abc', 1],
    ['0', 1],
    ['-1', 1024],
    ['8.5', 8],
    ['5000', 1024],
  ] as const)
    test(`UV_THREADPOOL_SIZE=${JSON.stringify(text)}`, async () => {
      const seen = await examine(program('used.cjs', USES + STAYS), { UV_THREADPOOL_SIZE: text });
      assert.deepEqual(seen, { code: 1, ids: ['doctor.misread'], size, usedBy: 'app' });
    });

  test('set in an ES module, after an import has used the pool', async () => {
    program('uses.mjs', `import { pbkdf2 } from 'node:crypto'; pbkdf2('a', 'b', 1, 1, 'sha1', () => {});`);
    const text = `import './uses.mjs'; process.env.UV_THREADPOOL_SIZE = '16'; ${STAYS}`;
    // Beside other tests an ES module may need more than a second to load.
    const seen = await examine(program('late.mjs', text), {}, [], '3');
    assert.deepEqual(seen, { code: 1, ids: ['doctor.set-too-late'], size: 4, usedBy: 'app' });
  });

  test('set in the program before anything used the pool: it holds, for now, but not on Windows', async () => {
    const text = `process.env.UV_THREADPOOL_SIZE = '6'; ${USES} ${STAYS}`;
    const { code, ids } = await examine(program('early.cjs', text));
    const expected =
      process.platform === 'win32' ? [1, 'doctor.set-on-windows'] : [0, 'doctor.set-in-program'];
    assert.deepEqual([code, ...ids], expected);
  });

  for (const [how, text] of [
    [
      'as its env',
      `new Worker('setInterval(() => {}, 1000)', { eval: true, env: { UV_THREADPOOL_SIZE: '12' } })`,
    ],
    [
      'by itself',
      // Its own event loop has turned for a while before the program goes on.
      `const told = new Int32Array(new SharedArrayBuffer(4));
       const code = 'process.env.UV_THREADPOOL_SIZE = "12"; setInterval(() => {}, 1000); setTimeout(() => {' +
         'const told = require("node:worker_threads").workerData; Atomics.store(told, 0, 1); Atomics.notify(told, 0) }, 300)';
       new Worker(code, { eval: true, workerData: told });
       Atomics.wait(told, 0, 0)`,
    ],
  ])
    test(`set for a Worker ${how}`, async () => {
      const command = program(
        'worker.cjs',
        `${USES} const { Worker } = require('node:worker_threads'); ${text};`,
      );
      const seen = await examine(command);
      assert.deepEqual([seen.code, seen.ids.includes('doctor.set-for-worker')], [1, true], seen.ids.join());
    });

  test('an app of PM2 keeps the environment of its first start', { skip: !isLinux }, async () => {
    const bin = join(dirname(createRequire(import.meta.url).resolve('pm2/package.json')), 'bin/pm2');
    const [node = '', script = ''] = program('app.cjs', USES + STAYS);
    const pm2 = (size: string, ...args: string[]): string =>
      execFileSync(node, [bin, ...args], {
        env: { ...process.env, PM2_HOME: join(directory, 'pm2'), UV_THREADPOOL_SIZE: size },
        encoding: 'utf8',
      });
    try {
      pm2('5', 'start', script, '--name', 'app', '--interpreter', node);
      // Without --update-env, as nearly everybody does it.
      pm2('9', 'restart', 'app');
      const pid = pm2('9', 'pid', 'app').trim().split('\n').at(-1) ?? '';
      await until(() => (countPool(Number(pid), 5)?.threads ?? 0) > 0);
      const run = await plimsoll(['doctor', pid, '--json', '-']);
      const { processes, findings } = diagnosisSchema.parse(JSON.parse(run.stdout));
      assert.equal(processes[0]?.size, 5);
      assert.ok(findings.some(({ id, text }) => id === 'doctor.pm2-environment' && text.includes('"5"')));
    } finally {
      pm2('9', 'kill');
    }
  });

  test('a pids limit without room for the pool', async (context) => {
    const cgroup = limitedCgroup('pids', { 'pids.max': '90' });
    if (cgroup === null) return context.skip('needs a pids cgroup that can be written to');
    try {
      for (const text of [USES + STAYS, STAYS]) {
        const command = ['env', 'UV_THREADPOOL_SIZE=90', ...program('pids.cjs', text)];
        const seen = await examine(command, {}, within(cgroup));
        assert.deepEqual(
          [seen.code, seen.ids, seen.size, seen.usedBy],
          [4, ['doctor.pids-limit'], 90, 'nobody'],
        );
      }
      const run = await plimsoll(['doctor', '--', ...program('dies.cjs', 'process.abort()')], {
        command: within(cgroup),
      });
      assert.equal(run.code, 4, 'a death that has nothing to do with the pool');
      assert.match(run.stderr, /signal SIGABRT.*pids limit/);
    } finally {
      await removeCgroup(cgroup);
    }
  });

  test('availableParallelism() over the quota, where Node does not count it', async (context) => {
    const cgroup = limitedCgroup('cpu', {
      'cpu.cfs_quota_us': '80000',
      'cpu.max': '80000 100000',
    });
    if (cgroup === null) return context.skip('needs a cpu cgroup that can be written to');
    try {
      const said = execFileSync(
        'sh',
        [...within(cgroup), process.execPath, '-p', 'os.availableParallelism()'].slice(1),
        { encoding: 'utf8' },
      );
      const expected = Number(said) > 1 ? ['doctor.parallelism-over-quota'] : [];
      const seen = await examine(
        program('used.cjs', USES + STAYS),
        { UV_THREADPOOL_SIZE: '3' },
        within(cgroup),
      );
      assert.deepEqual([seen.code, seen.ids], [0, expected]);
    } finally {
      await removeCgroup(cgroup);
    }
  });
});

describe('plimsoll doctor', () => {
  test('a size that is what was asked for has no finding', async () => {
    const seen = await examine(program('used.cjs', USES + STAYS), { UV_THREADPOOL_SIZE: '7' });
    assert.deepEqual(seen, { code: 0, ids: [], size: 7, usedBy: 'app' });
  });

  test('a pool that was not used yet is counted after one job', async () => {
    const seen = await examine(program('idle.cjs', STAYS), { UV_THREADPOOL_SIZE: '3' });
    assert.deepEqual(seen, { code: 0, ids: [], size: 3, usedBy: 'doctor' });
  });

  test('each process of a cluster is examined, and what they share is said once', async () => {
    const text = `const cluster = require('node:cluster'); if (cluster.isPrimary) { cluster.fork(); cluster.fork(); } ${USES} ${STAYS}`;
    const run = await plimsoll(
      ['doctor', '--wait', '1', '--json', '-', '--', ...program('cluster.cjs', text)],
      {
        env: { UV_THREADPOOL_SIZE: 'many' },
      },
    );
    const { processes, findings } = diagnosisSchema.parse(JSON.parse(run.stdout));
    assert.deepEqual(
      processes.map(({ size }) => size),
      [1, 1, 1],
    );
    assert.equal(findings.length, 1);
  });

  test('without a command: what a program started here gets', async () => {
    const run = await plimsoll(['doctor'], { env: { UV_THREADPOOL_SIZE: '9' } });
    assert.match(run.stdout, / 9 {2}"9"/);
    assert.deepEqual([run.code, run.stderr], [0, '']);
  });

  test('a process that runs already', { skip: !isLinux }, async () => {
    const child = spawn(process.execPath, ['-e', USES + STAYS], {
      env: { ...process.env, UV_THREADPOOL_SIZE: 'abc' },
      stdio: 'ignore',
    });
    await until(() => (countPool(child.pid as number, 1)?.threads ?? 0) > 0);
    const run = await plimsoll(['doctor', String(child.pid)]);
    child.kill('SIGKILL');
    assert.equal(run.code, 1, run.stderr);
    assert.match(run.stdout, /doctor\.misread/);
    await once(child, 'exit');
    const gone = await plimsoll(['doctor', String(child.pid)]);
    assert.deepEqual([gone.code, gone.stderr], [2, `plimsoll: there is no process ${child.pid}\n`]);
  });

  test('a process that is not Node', { skip: !isLinux }, async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const run = await plimsoll(['doctor', String(child.pid)]);
    child.kill('SIGKILL');
    assert.deepEqual(
      [run.code, run.stderr],
      [2, `plimsoll: process ${child.pid} is not a Node.js process\n`],
    );
  });

  test("another user's process", { skip: process.getuid?.() !== 0 }, async () => {
    const run = await plimsoll(['doctor', String(process.pid)], {
      command: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--bounding-set=-all'],
    });
    assert.deepEqual(
      [run.code, run.stderr],
      [
        2,
        `plimsoll: process ${process.pid} belongs to another user, so plimsoll may not inspect it; run plimsoll as that user, or as root\n`,
      ],
    );
  });

  test('a command that is not there, and one that is not Node, end with 4 and one line', async () => {
    const file = join(directory, 'no-result.json');
    for (const command of [[join(directory, 'none')], ['sleep', '0.1']]) {
      const run = await plimsoll(['doctor', '--json', file, '--', ...command]);
      assert.equal(run.code, 4, run.stderr);
      assert.equal(existsSync(file), false, 'no empty file is left');
      assert.equal(run.stderr.trimEnd().split('\n').length, 1, run.stderr);
    }
  });

  test('an app that blocks its event loop is said to', { skip: !isLinux }, async () => {
    const run = await plimsoll(['doctor', '--wait', '0.1', '--', ...program('blocks.cjs', BLOCKS)]);
    assert.equal(run.code, 4);
    assert.match(run.stderr, /^plimsoll: process \d+ of .* its event loop has not turned once/);
  });

  test('an app that fails by itself is no proof of anything', async () => {
    // Its end is not waited for any longer than that.
    const command = program('fails.cjs', `${USES} process.exitCode = 3;`);
    const run = await plimsoll(['doctor', '--wait', '60', '--', ...command]);
    assert.equal(run.code, 4);
    assert.match(run.stdout, /the command failed \(exit code 3\); sizes up to that point/);
  });

  test('Ctrl-C ends the app, too', { skip: !isLinux }, async () => {
    const pidFile = join(directory, 'pid');
    const text = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); ${STAYS}`;
    const run = await plimsoll(['doctor', '--wait', '60', '--', ...program('stays.cjs', text)], {
      meanwhile: (child) => void until(() => pidIn(pidFile) > 0).then(() => child.kill('SIGINT')),
    });
    assert.deepEqual([run.code, run.left], [130, []]);
    assert.throws(() => process.kill(pidIn(pidFile), 0), { code: 'ESRCH' });
  });
});

function pidIn(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

const FACTS: ProcessFacts = {
  ...{ pid: 1, ppid: 0, script: null, node: '24.0.0', libuv: '1.50.0', platform: 'linux' },
  ...{ initial: '8', current: '8', threads: 8, countedBy: 'preload', usedBy: 'app', availableParallelism: 2 },
  ...{ resized: false, pm2: false, workers: [] },
};
const MACHINE: MachineFacts = { effectiveCpus: 2, pidsHeadroom: null };
const idsOf = (facts: Partial<ProcessFacts>, machine: Partial<MachineFacts> = {}) =>
  diagnose({ ...FACTS, ...facts }, { ...MACHINE, ...machine }).map(({ finding }) => finding.id);

test('what cannot be provoked on every machine', () => {
  assert.deepEqual(idsOf({}), []);
  assert.deepEqual(idsOf({ platform: 'win32', current: '16', threads: null }), ['doctor.set-on-windows']);
  assert.deepEqual(idsOf({ availableParallelism: 64 }), ['doctor.parallelism-over-quota']);
  assert.deepEqual(idsOf({ threads: null, usedBy: 'nobody' }, { pidsHeadroom: 5 }), ['doctor.pids-limit']);
  assert.deepEqual(idsOf({ threads: 4 }), ['doctor.other-count']);
  assert.deepEqual(idsOf({ threads: null, usedBy: 'unknown' }), ['doctor.not-counted']);
  assert.deepEqual(idsOf({ initial: null, current: null, threads: 4 }), []);
  assert.deepEqual(idsOf({ initial: '8', current: '+8', threads: 8 }), ['doctor.set-in-program']);
});
