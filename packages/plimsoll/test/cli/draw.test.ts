import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { timelineSchema } from '#plimsoll/results/timeline.js';
import { fixture, plimsoll, processesWith, type Refusals, testRefusals, until } from '../support/cli.js';

const functions = fixture('draw.mjs');
const linux = process.platform === 'linux' ? {} : { skip: 'looks for processes in /proc' };

test('JSON on stdout, the picture on stderr', async () => {
  const options = ['--requests', '1, 2,2', '--size', '3', '--json', '-'];
  const run = await plimsoll(['classify', '--draw', 'randomBytes', ...options]);
  assert.equal(run.code, 0, run.stderr);
  const result = timelineSchema.parse(JSON.parse(run.stdout));
  assert.deepEqual(
    result.experiments.map(({ requests }) => requests),
    [1, 2],
  );
  assert.ok(result.observedThreads === 3 || result.observedThreads === null);
  assert.match(run.stderr, /2 requests, 3 pool threads/);
  assert.deepEqual(run.left, []);
});

const bad: Refusals = {
  'no operation': [[], 2, /--draw: takes exactly one operation/],
  'an unknown operation': [['pbkdf3'], 2, /unknown operation "pbkdf3".*pbkdf2-sync, pbkdf2, http/],
  'size 0': [['pbkdf2', '--size', '0'], 2, /--size.*from 1 to 1024, not "0"/],
  'no requests': [['pbkdf2', '--requests', '0'], 2, /--requests.*not "0"/],
  'an empty list of requests': [['pbkdf2', '--requests', ''], 2, /--requests.*not ""/],
  'a page into no directory': [['pbkdf2', '--html', '/nonexistent/x'], 2, /--html: cannot write.*ENOENT/],
  'two documents on stdout': [['pbkdf2', '--json', '-', '--html', '-'], 2, /only one document/],
  'a module that does not exist': [['./nowhere.mjs'], 2, /no module at ".\/nowhere.mjs"/],
  'an export that does not exist': [[`${functions}#nowhere`], 2, /no export "nowhere"/],
  'a module with a syntax error': [[fixture('bad/syntax-error.mjs')], 2, /cannot be loaded: SyntaxError/],
  'an operation that throws at once': [[`${functions}#throws`], 4, /RangeError: no \\x1b\[31mred/],
  'an operation that exits': [[`${functions}#exits`], 4, /ended its process \(exit code 7\)/],
  'an operation that never completes': [
    [`${functions}#never`, '--deadline', '2'],
    4,
    /not complete within 2 s/,
  ],
};
testRefusals(bad, ['classify', '--draw', '--quiet']);

describe('drawing leaves nothing behind', linux, () => {
  const whenRunning = (directory: string): Promise<void> => until(() => processesWith(directory).length >= 3);

  test('after Ctrl-C: exit code 130', async () => {
    let directory = '';
    const run = await plimsoll(['classify', '--draw', `${functions}#never`, '--quiet', '--json', '-'], {
      meanwhile: (child, temporary) => {
        directory = temporary;
        void whenRunning(temporary).then(() => child.kill('SIGINT'));
      },
    });
    assert.equal(run.code, 130, run.stderr);
    assert.equal(timelineSchema.parse(JSON.parse(run.stdout)).interrupted, true);
    assert.deepEqual(run.left, []);
    assert.deepEqual(processesWith(directory), []);
  });

  test('after SIGKILL', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const run = await plimsoll(['classify', '--draw', `${functions}#never`, '--quiet'], {
      env: { TMPDIR: directory },
      meanwhile: (child) => void whenRunning(directory).then(() => child.kill('SIGKILL')),
    });
    assert.equal(run.code, null);
    await until(() => processesWith(directory).length === 0, 60_000, 'every process is gone');
    await until(() => readdirSync(directory).length === 0, 60_000, 'its directory is gone');
    rmSync(directory, { recursive: true });
  });
});
