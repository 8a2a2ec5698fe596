import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { benchSchema } from '#plimsoll/results/bench.js';
import { limitedCgroup, removeCgroup, within } from '../support/cgroup.js';
import { plimsoll } from '../support/cli.js';

/** Whether this user may make mount namespaces; without them no small or read-only filesystem can be had. */
const mounts = spawnSync('unshare', ['--mount', 'true']).status === 0;
const root = mounts ? {} : { skip: 'needs the right to make a mount namespace' };
const QUICKLY = ['--time', '1', '--sizes', '2', '--baseline', '2', '--quiet'];

/** A command that runs the rest in a namespace where `directory` is a filesystem mounted with `options`. */
const mounted = (directory: string, options: string): string[] => [
  ...['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o "$1" tmpfs "$2" && shift 2 && exec "$@"'],
  ...['sh', options, directory],
];

function withDirectory(body: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    try {
      await body(directory);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };
}

describe('limits of the machine', root, () => {
  test(
    'a full disk',
    withDirectory(async (directory) => {
      const run = await plimsoll(['bench', 'file', '--ops', '50', ...QUICKLY], {
        command: mounted(directory, 'size=1m'),
        env: { TMPDIR: directory },
      });
      assert.equal(run.code, 4, run.stderr);
      assert.match(run.stderr, /file at size 2 failed: .*ENOSPC.*the disk is full; set TMPDIR/);
    }),
  );

  test(
    'a result that does not fit on its disk is not cut off in silence',
    withDirectory(async (directory) => {
      const [disk, rescued] = ['disk', 'rescued'].map((name) => join(directory, name)) as [string, string];
      for (const path of [disk, rescued]) mkdirSync(path);
      const fill = `head -c 4096 /dev/zero > ${join(disk, 'full')}`;
      for (const [args, words] of [
        [['--json', join(disk, 'result.json')], `${fill}; "$@"`],
        [['--json', '-'], `${fill}; "$@" > ${join(disk, 'result.json')}`],
      ] as const) {
        const run = await plimsoll(['bench', 'zlib', '--ops', '2', ...args, ...QUICKLY], {
          command: [...mounted(disk, 'size=4k'), 'sh', '-c', words, 'sh'],
          env: { TMPDIR: rescued },
        });
        assert.equal(run.code, 2, run.stderr);
        assert.match(run.stderr, /--json: cannot write .* \(ENOSPC\); the result is in /);
        const [file = ''] = /[^ ]+result\.json$/m.exec(run.stderr.trim()) ?? [];
        benchSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
      }
    }),
  );

  test(
    'no permission to write',
    withDirectory(async (directory) => {
      const run = await plimsoll(['bench', 'file', ...QUICKLY], {
        command: mounted(directory, 'ro'),
        env: { TMPDIR: directory },
      });
      assert.equal(run.code, 2, run.stderr);
      assert.match(run.stderr, /cannot create a temporary directory in .* \(EROFS\); set TMPDIR/);
    }),
  );
});

test('a size beyond the limit on processes: said plainly, what was measured is kept', async (context) => {
  const cgroup = limitedCgroup('pids', { 'pids.max': '200' });
  if (cgroup === null) return context.skip('needs a pids cgroup that can be written to');
  try {
    const run = await plimsoll(
      [
        ...['bench', 'zlib', 'crypto', '--ops', '4', '--scale', '0.01', '--time', '1', '--seed', '1'],
        ...['--sizes', '2,1024', '--baseline', '2', '--json', '-'],
      ],
      { command: within(cgroup) },
    );
    assert.equal(run.code, 4, run.stderr);
    assert.match(run.stderr, /a pool of 1024 threads could not be created here \(signal SIGABRT\)/);
    const result = benchSchema.parse(JSON.parse(run.stdout));
    assert.equal(result.workloads.length, 2, 'the others go on');
    for (const { lost, sizes, failure } of result.workloads) {
      assert.deepEqual(
        lost.map(({ size, code }) => [size, code]),
        [[1024, 'PLIMSOLL_POOL_NOT_CREATED']],
      );
      assert.deepEqual(
        sizes.map(({ size }) => size),
        [2],
      );
      assert.equal(failure, null);
    }
    assert.deepEqual(run.left, []);
  } finally {
    await removeCgroup(cgroup);
  }
});

test('a full standard output is one line, and an exit code', {
  skip: existsSync('/dev/full') ? false : 'needs /dev/full',
}, async () => {
  const run = await plimsoll(['--version'], { command: ['sh', '-c', '"$@" > /dev/full', 'sh'] });
  assert.deepEqual([run.code, run.stderr], [2, 'plimsoll: cannot write to standard output (ENOSPC)\n']);
});

test('a right to namespaces that is missing leaves lookups to the hosts file', {
  skip: process.getuid?.() !== 0,
}, async (context) => {
  const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--bounding-set=-all'];
  try {
    execFileSync(asNobody[0] as string, [...asNobody.slice(1), process.execPath, '--version']);
    const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
    execFileSync(asNobody[0] as string, [...asNobody.slice(1), 'test', '-r', main]);
  } catch {
    return context.skip('another user cannot run this build');
  }
  const run = await plimsoll(['bench', 'dns', ...QUICKLY], {
    command: asNobody,
    env: { TMPDIR: '/tmp' },
  });
  assert.equal(run.code, 0, run.stderr);
});
