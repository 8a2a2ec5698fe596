import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TuneProgress } from '#plimsoll/tune/request.js';
import { fixture, processesWith, until } from '../support/cli.js';
import { autocannon, tuned } from '../support/tune.js';

const linux = process.platform === 'linux' ? {} : { skip: 'looks at processes in /proc' };
const node = process.execPath;
const server = [node, fixture('tune/server.cjs'), 'http1', '20'];
const traffic = autocannon('-c', '4', 'http://127.0.0.1:$PORT/');

describe('interrupted, nothing is left', linux, () => {
  const moments: Record<string, [command: readonly string[], is: (progress: TuneProgress) => boolean]> = {
    'while the app starts': [server, ({ phase }) => phase === 'starting'],
    'while it waits for the first request': [server, ({ phase }) => phase === 'waiting'],
    'while the app warms up': [server, ({ phase }) => phase === 'warming up'],
    'while a command warms up': [[node, '-e', ''], ({ phase }) => phase === 'warming up'],
  };
  for (const [moment, [command, is]] of Object.entries(moments))
    test(`${moment}: there is nothing to tell`, async () => {
      const reason = new Error('interrupted');
      const request = command === server ? { traffic } : {};
      const run = await tuned(command, request, (progress, abort) => {
        if (is(progress)) abort.abort(reason);
      });
      assert.equal(run.error, reason);
      assert.deepEqual(run.left, []);
    });

  for (const [what, command, request] of [
    ['windows', server, { traffic }],
    ['runs', [node, '-e', 'require("node:fs").stat("/", () => {})'], {}],
  ] as const)
    test(`in the middle of the ${what}: those until then are told`, async () => {
      const run = await tuned(command, { ...request, timeMs: 120_000 }, ({ blocks }, abort) => {
        if (blocks >= 1) abort.abort(new Error('interrupted'));
      });
      assert.equal(run.error, null);
      assert.deepEqual(run.left, []);
      const { method, sizes } = run.measured ?? assert.fail();
      assert.equal(method.stop, 'interrupted');
      assert.ok(method.windows >= 4 && method.windows < 12, `${method.windows} windows of 4 arms`);
      assert.deepEqual(
        sizes.map(({ size }) => size),
        [2, 4, 16],
      );
    });
});

test('killed, it leaves neither the app nor the traffic', linux, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  const program = `
    const { tuned, autocannon } = await import(${JSON.stringify(new URL('../support/tune.js', import.meta.url).href)});
    await tuned(${JSON.stringify(server)}, { traffic: autocannon('-c', '4', 'http://127.0.0.1:$PORT/') }, ({ phase }) => console.log(phase));`;
  const child = spawn(node, ['--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until(() => said.includes('measuring'));
  assert.ok(processesWith(directory).length >= 3, 'the app, its traffic and the guardian');
  child.kill('SIGKILL');
  await until(() => processesWith(directory).length === 0, 60_000, 'every process is gone');
  // What the helper of this test made is its own.
  const left = readdirSync(directory).flatMap((name) => readdirSync(join(directory, name)));
  assert.deepEqual(left, []);
  rmSync(directory, { recursive: true });
});
