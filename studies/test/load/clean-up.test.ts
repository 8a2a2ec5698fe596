import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadSchema } from '#studies/load/result.js';
import { command, fixture, processesWith, until } from './cli.js';
import { freePort } from './port.js';

const linux = process.platform === 'linux' ? {} : { skip: 'looks for processes in /proc' };
const MODES = ['node', 'cluster', 'pm2-fork', 'pm2-cluster'];

describe('nothing of a load stays behind', linux, () => {
  // Operations that would take minutes, so that the signal always comes in the middle.
  const slow = (mode: string): string[] => [
    ...['load', '--mode', mode, '--operation', 'sleep:2000', '--sizes', '2', '--json', '-'],
  ];

  for (const mode of MODES) {
    test(`${mode}, after Ctrl-C under load`, async () => {
      let directory = '';
      const run = await command(slow(mode), {
        meanwhile: (child, temporary) => {
          directory = temporary;
          // Three processes or more: the client, its guardian, and a server that has made its pipes.
          void until(() => underLoad(directory)).then(() => child.kill('SIGINT'));
        },
      });
      assert.equal(run.code, 130, run.stderr);
      assert.equal(loadSchema.parse(JSON.parse(run.stdout)).method.interrupted, true);
      assert.deepEqual(run.left, []);
      assert.deepEqual(processesWith(directory), []);
    });
  }

  // Two sizes and the twin take turns.
  const ALL = 3;
  const turns = (mode: string): string[] => [
    ...['load', '--mode', mode, '--operation', 'sleep:300', '--ops', '1', '--requests', '3'],
    ...['--sizes', '2,4', '--json', '-'],
  ];

  test('pm2-cluster, after Ctrl-C while servers of all sizes live', async () => {
    let directory = '';
    const run = await command(turns('pm2-cluster'), {
      meanwhile: (child, temporary) => {
        directory = temporary;
        void until(() => underLoad(directory, ALL)).then(() => child.kill('SIGINT'));
      },
    });
    assert.equal(run.code, 130, run.stderr);
    assert.equal(loadSchema.parse(JSON.parse(run.stdout)).method.interrupted, true);
    assert.deepEqual(run.left, []);
    assert.deepEqual(processesWith(directory), []);
  });

  for (const mode of MODES) {
    test(`${mode}, after SIGKILL while servers of all sizes live: workers and guardian clean up`, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
      const run = await command(turns(mode), {
        env: { TMPDIR: directory },
        meanwhile: (child) => void until(() => underLoad(directory, ALL)).then(() => child.kill('SIGKILL')),
      });
      assert.equal(run.code, null);
      await until(() => processesWith(directory).length === 0, 120_000, 'every process is gone');
      await until(() => readdirSync(directory).length === 0, 120_000, 'its directories are gone');
      rmSync(directory, { recursive: true });
    });
  }

  for (const delay of [0, 500])
    test(`pm2-cluster, Ctrl-C ${delay} ms after its start`, async () => {
      let directory = '';
      const run = await command(slow('pm2-cluster'), {
        meanwhile: (child, temporary) => {
          directory = temporary;
          // Not before it listens to signals: the guardian is there then.
          void until(() => processesWith(temporary).length >= 2)
            .then(() => new Promise((resolve) => setTimeout(resolve, delay)))
            .then(() => child.kill('SIGINT'));
        },
      });
      assert.equal(run.code, 130, run.stderr);
      assert.deepEqual(run.left, []);
      assert.deepEqual(processesWith(directory), []);
    });

  for (const delay of [0, 500])
    test(`pm2-fork, SIGKILL ${delay} ms after its start`, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
      await command(slow('pm2-fork'), {
        env: { TMPDIR: directory },
        meanwhile: (child) =>
          void until(() => processesWith(directory).length >= 2)
            .then(() => new Promise((resolve) => setTimeout(resolve, delay)))
            .then(() => child.kill('SIGKILL')),
      });
      await until(() => processesWith(directory).length === 0, 120_000, 'every process is gone');
      await until(() => readdirSync(directory).length === 0, 120_000, 'its directories are gone');
      rmSync(directory, { recursive: true });
    });

  test("a user's command, even one that ignores SIGTERM, after Ctrl-C", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    let directory = '';
    const run = await command(
      [
        ...['load', '--url', url, '--rate', '5', '--duration', '600', '--sizes', '4', '--json', '-'],
        ...['--', process.execPath, fixture('servers/app.mjs'), 'ignores-sigterm'],
      ],
      {
        env: { PORT: String(port) },
        meanwhile: (child, temporary) => {
          directory = temporary;
          void until(() => processesWith(temporary).length >= 3)
            .then(() => new Promise((resolve) => setTimeout(resolve, 1000)))
            .then(() => child.kill('SIGINT'));
        },
      },
    );
    assert.equal(run.code, 130, run.stderr);
    assert.deepEqual(run.left, []);
    assert.deepEqual(processesWith(directory), []);
    await assert.rejects(fetch(url));
  });
});

describe('the sample server', linux, () => {
  for (const mode of MODES)
    test(`${mode}: answers, tells what it did, and is gone after Ctrl-C`, async () => {
      const port = await freePort();
      let directory = '';
      const answers: string[] = [];
      const run = await command(
        ['serve', '--mode', mode, '--port', String(port), '--iterations', '200', '--size', '3'],
        {
          meanwhile: (child, temporary) => {
            directory = temporary;
            let text = '';
            child.stdout?.on('data', async (chunk) => {
              const before = text;
              text += chunk;
              if (!before.includes('Ctrl-C') && text.includes('Ctrl-C'))
                for (const path of ['/ping', '/test', '/test?wait=1'])
                  answers.push(await (await fetch(`http://127.0.0.1:${port}${path}`)).text());
            });
            void until(() => answers.length === 3 && /\d+ operations: min/.test(text))
              .then(() => child.kill('SIGINT'))
              .catch(() => child.kill('SIGKILL'));
          },
        },
      );
      assert.equal(run.code, 0, run.stderr);
      assert.deepEqual(answers, ['pong', 'ok', 'ok']);
      const workers = mode.endsWith('cluster') ? 2 : 1;
      assert.equal(run.stdout.match(/3 pool threads, counted/g)?.length, workers, run.stdout);
      assert.deepEqual(run.left, []);
      assert.deepEqual(processesWith(directory), []);
    });
});

/** Whether so many workers of the sample server have made the pipes of their operation, which they do right before they are ready. */
function underLoad(directory: string, workers = 1): boolean {
  try {
    const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    return paths.filter((path) => path.endsWith('pipe-63')).length >= workers;
  } catch {
    return false;
  }
}
