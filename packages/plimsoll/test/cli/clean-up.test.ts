import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { benchSchema } from '#plimsoll/results/bench.js';
import { fixture, plimsoll, processesWith, until } from '../support/cli.js';

const linux = process.platform === 'linux' ? {} : { skip: 'looks for processes in /proc' };

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

describe('nothing stays behind', linux, () => {
  const work = fixture('sleeps-in-pool.mjs');
  const slow = ['bench', work, '--ops', '16', '--sizes', '2,4', '--time', '120', '--json', '-'];

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    test(`after ${signal}: complete blocks are kept, exit code 130`, async () => {
      let directory = '';
      const run = await plimsoll(slow, {
        meanwhile: (child, temporary) => {
          directory = temporary;
          let text = '';
          child.stderr?.on('data', (chunk) => {
            const before = text;
            text += chunk;
            // Once: a second signal would end it without waiting for its guardian.
            if (!before.includes('2 generations') && text.includes('2 generations')) child.kill(signal);
          });
        },
      });
      assert.equal(run.code, 130, run.stderr);
      const result = benchSchema.parse(JSON.parse(run.stdout));
      assert.equal(result.method.interrupted, true);
      const [workload] = result.workloads;
      assert.ok((workload?.method?.generations ?? 0) >= 2);
      assert.equal(workload?.method?.stop, 'interrupted');
      assert.equal(workload?.sizes.length, 2, 'what was measured is analysed');
      assert.deepEqual(run.left, []);
      assert.deepEqual(processesWith(directory), []);
    });

  test('after SIGKILL, even from a workload that blocks for ever: the guardian ends it and removes its directory', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const blocked = `${directory}-blocked`;
    const run = await plimsoll(['bench', fixture('bad/blocks.mjs'), '--sizes', '2', '--baseline', '2'], {
      env: { TMPDIR: directory, BLOCKED_FILE: blocked },
      meanwhile: (child) => void until(() => existsSync(blocked)).then(() => child.kill('SIGKILL')),
    });
    assert.equal(run.code, null);
    assert.ok(existsSync(blocked), 'it was killed in the middle of a run');
    await until(() => processesWith(blocked).length === 0, 60_000, 'every process of the run is gone');
    await until(() => readdirSync(directory).length === 0, 60_000, 'its directory is gone');
    rmSync(directory, { recursive: true });
    rmSync(blocked);
  });

  test('what a workload started is ended with it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const pids = join(directory, 'pids');
    const run = await plimsoll(
      [
        'bench',
        fixture('bad/leaves-process.mjs'),
        '--sizes',
        '2',
        '--baseline',
        '2',
        '--time',
        '1',
        '--ops',
        '1',
      ],
      { env: { PIDS_FILE: pids } },
    );
    assert.equal(run.code, 0, run.stderr);
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    assert.ok(started.length >= 3);
    await until(() => started.every((pid) => !commandLine(pid).includes('sleep')));
    rmSync(directory, { recursive: true });
  });
});
