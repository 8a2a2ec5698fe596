import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { adviceSchema } from '#plimsoll/results/advice.js';
import { fixture, hasRecorded, plimsoll, processesWith, until } from '../support/cli.js';

const app = fixture('advise.mjs');

test('records, predicts, verifies: JSON on stdout, the report on stderr', async () => {
  const run = await plimsoll([
    ...[
      'advise',
      '--sizes',
      '2,4,8',
      '--size',
      '4',
      '--verify',
      '2',
      '--runs',
      '1',
      '--json',
      '-',
      '--quiet',
    ],
    ...['--', process.execPath, app],
  ]);
  assert.equal(run.code, 0, run.stderr);
  const advice = adviceSchema.parse(JSON.parse(run.stdout));
  assert.ok(advice.trace.jobs >= 40, `${advice.trace.jobs} jobs`);
  assert.deepEqual(
    advice.predictions.map(({ size }) => size),
    [2, 4, 8],
  );
  assert.deepEqual(
    advice.verification.map(({ size }) => size),
    [2],
  );
  assert.match(run.stderr, /UV_THREADPOOL_SIZE=\d+/);
  assert.match(run.stderr, /the twin of size 2 differed by [+−]/);
  assert.deepEqual(run.left, []);
});

const linux = process.platform === 'linux' ? {} : { skip: 'looks for processes in /proc' };

describe('ended in the middle of a recording', linux, () => {
  const forever = fixture('trace/forever.cjs');

  test('Ctrl-C: advice from what was recorded, exit code 130, and nothing stays', async () => {
    const run = await plimsoll(
      ['advise', '--quiet', '--sizes', '2,4', '--json', '-', '--', process.execPath, forever, 'signals'],
      { meanwhile: (child, own) => void until(() => hasRecorded(own)).then(() => child.kill('SIGINT')) },
    );
    assert.equal(run.code, 130, run.stderr);
    assert.match(run.stderr, /interrupted once/);
    assert.ok(adviceSchema.parse(JSON.parse(run.stdout)).trace.jobs > 0);
    assert.deepEqual(run.left, []);
  });

  test('SIGKILL of plimsoll itself: no process and no directory is left', async () => {
    const own = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const run = await plimsoll(['advise', '--quiet', '--', process.execPath, forever], {
      env: { TMPDIR: own },
      meanwhile: (child) => void until(() => hasRecorded(own)).then(() => child.kill('SIGKILL')),
    });
    assert.equal(run.code, null);
    await until(() => processesWith(own).length === 0, 20_000, 'every process is gone');
    await until(() => readdirSync(own).length === 0, 20_000, 'its directory is gone');
    rmSync(own, { recursive: true });
  });
});

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
const file = (name: string, content: string): string => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};
test.after(() => rmSync(directory, { recursive: true }));

const node = process.execPath;
const bad: Record<string, readonly [readonly string[], number, RegExp]> = {
  'nothing to look at': [[], 2, /give a file.*or -- and a command/],
  'two files': [['a', 'b'], 2, /"a" and "b": give one trace/],
  'no such file': [['/nonexistent/x.trace'], 2, /x\.trace/],
  'an empty file': [[file('empty', '')], 2, /empty/],
  'a foreign JSON': [[file('foreign.json', '{"a":1}')], 2, /foreign\.json/],
  'a size of 0': [['--sizes', '0', '--', node, app], 2, /--sizes.*"0"/],
  'an objective that is none': [
    ['--objective', 'speed', '--', node, app],
    2,
    /--objective: must be mean, p99/,
  ],
  'a factor that is none': [['--faster', 'crypto', '--', node, app], 2, /--faster: must be KIND=FACTOR/],
  'half a core': [['--cores', '0.5', '--', node, app], 2, /--cores.*"0.5"/],
  'to verify without a command': [['--verify', '4', 'a.trace'], 2, /--verify: needs the command/],
  'to verify what was never run': [
    ['--verify', '4', '--cores', '8', '--', node, app],
    2,
    /--verify: measures the command as it is/,
  ],
  'a command that does not exist': [['--', 'no-such-command-anywhere'], 4, /no-such-command-anywhere/],
};
for (const [what, [args, code, says]] of Object.entries(bad))
  test(`${what}: a clear line and exit code ${code}`, async () => {
    const run = await plimsoll(['advise', '--quiet', ...args]);
    assert.equal(run.code, code, run.stderr);
    assert.match(run.stderr, says);
    assert.doesNotMatch(run.stderr, /\n {4}at /);
    assert.deepEqual(run.left, []);
  });

test('an app that never uses its pool hears that its size cannot matter', async () => {
  const run = await plimsoll(['advise', '--quiet', '--', node, '-e', 'setTimeout(() => {}, 300)']);
  assert.equal(run.code, 2, run.stderr);
  assert.match(run.stderr, /nothing used the pool in the .* s that were recorded: its size cannot matter/);
});
