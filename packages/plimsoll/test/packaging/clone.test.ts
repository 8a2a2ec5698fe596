import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const packageRoot = fileURLToPath(new URL('../../', import.meta.url));
const repository = join(packageRoot, '../..');
const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  version: string;
};

/** `npm exec` is what `npx` runs; `--no` forbids it to fetch what the clone does not have. */
function npx(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const options = { cwd: repository, encoding: 'utf8' } as const;
  const exec = ['exec', '--no', '--', ...args];
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js')
    ? spawnSync(process.execPath, [cli, ...exec], options)
    : spawnSync('npm', exec, { ...options, shell: process.platform === 'win32' });
}

test('npx plimsoll works in a clone that was set up', () => {
  const { status, stdout, stderr } = npx(['plimsoll', '--version']);
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), version);
});

test('npx gives back the exit code and the message of bad input', () => {
  const { status, stderr } = npx(['plimsoll', 'bench', '--sizes', 'many']);
  assert.equal(status, 2, stderr);
  assert.match(stderr, /--sizes/);
  assert.doesNotMatch(stderr, /^\s+at /m);
});

test('before the build, the bin says what is missing', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  try {
    for (const part of ['bin', 'package.json'])
      cpSync(join(packageRoot, part), join(directory, part), { recursive: true });
    const bin = join(directory, 'bin/plimsoll.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, '--version'], { encoding: 'utf8' });
    assert.equal(status, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /^plimsoll: .*not built.*npm run build.*\n$/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
