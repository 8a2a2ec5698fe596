import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixture } from '../support/cli.js';
import { autocannon, type Tuned, tuned } from '../support/tune.js';

const linux = process.platform === 'linux' ? {} : { skip: 'looks at processes in /proc' };
const node = process.execPath;
const app = (name: string, ...args: string[]): string[] => [node, fixture(`tune/${name}`), ...args];

/** The error of one that failed. */
function errorOf({ error, left }: Tuned): { code: string | undefined; message: string } {
  assert.deepEqual(left, []);
  const { code, message } = error ?? assert.fail('no error');
  return { code, message };
}

describe('what cannot be tuned', linux, () => {
  const slash = { from: 'urls', urls: ['/'], connections: 2 } as const;
  const to = (url: string) => ({
    traffic: { from: 'urls', urls: [url], connections: 2 } as const,
    timeMs: 60_000,
  });

  test('no such command, and one that fails at once', async () => {
    const { code, message } = errorOf(await tuned(['no-such-program']));
    assert.deepEqual(
      [code, message],
      ['PLIMSOLL_TARGET_FAILED', 'cannot start "no-such-program": there is no such command'],
    );
    const failed = errorOf(await tuned([node, '-e', 'throw new Error("no database")'], { traffic: slash }));
    assert.deepEqual(
      [failed.code, failed.message],
      ['PLIMSOLL_TARGET_FAILED', 'the command failed (exit code 1; it last wrote: Error: no database)'],
    );
  });

  test('no port opens, or the command ends before that', async () => {
    const hung = errorOf(
      await tuned([node, '-e', 'setInterval(() => {}, 1000)'], { traffic: slash, readyMs: 1_000 }),
    );
    assert.equal(hung.code, 'PLIMSOLL_TARGET_HUNG');
    assert.match(hung.message, /^the command has not listened on a port within 1 s/);
    const ended = errorOf(await tuned([node, '-e', ''], { traffic: slash }));
    assert.equal(ended.code, 'PLIMSOLL_TARGET_FAILED');
    assert.match(ended.message, /ended \(exit code 0\) before it listened on a port/);
  });

  test('what listens is no Node program', async () => {
    const python =
      'import socket, time; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); time.sleep(60)';
    const { code, message } = errorOf(await tuned(['python3', '-c', python], { traffic: slash }));
    assert.equal(code, 'PLIMSOLL_NOT_MEASURED');
    assert.match(message, /no Node process of the command could be measured/);
  });

  test('nobody sends requests: it says where to, and how to have them sent', async () => {
    const seen: (string | null)[] = [];
    const run = await tuned(app('server.cjs', 'http1', '20'), { timeMs: 10_000 }, ({ phase, at }) => {
      if (phase === 'waiting') seen.push(at);
    });
    const { code, message } = errorOf(run);
    assert.equal(code, 'PLIMSOLL_NO_REQUESTS');
    assert.match(
      message,
      /^no request arrived within 10 s: send requests to http:\/\/127\.0\.0\.1:\d+ during the measurement, or let plimsoll send them, with --url/,
    );
    assert.match(seen[0] ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  });

  for (const [what, path] of [
    ['errors', '/fails'],
    ['nothing at all', '/lost'],
  ] as const)
    test(`the app answers ${what}`, async () => {
      const { code, message } = errorOf(await tuned(app('server.cjs', 'http1', '20'), to(path)));
      assert.equal(code, 'PLIMSOLL_ONLY_ERRORS');
      assert.match(message, /no size can be recommended$/);
    });

  test('the app answers errors to a command that does not tell', async () => {
    const traffic = autocannon('-c', '2', 'http://127.0.0.1:$PORT/fails');
    const { code, message } = errorOf(
      await tuned(app('server.cjs', 'http1', '20'), { traffic, timeMs: 60_000 }),
    );
    assert.equal(code, 'PLIMSOLL_ONLY_ERRORS');
    assert.match(message, /^all \d+ requests were answered with a status of 500 or more/);
  });

  test('the app dies in mid-run: how, and its last words', async () => {
    // A while after its first request, when the size has been changed already.
    const program = `let dies; require('node:http').createServer((_, response) => {
      setTimeout(() => response.end(), 5);
      dies ??= setTimeout(() => { console.error("out of luck"); process.exit(7); }, 2000);
    }).listen(0, '127.0.0.1');`;
    const { code, message } = errorOf(await tuned([node, '-e', program], { traffic: slash, timeMs: 60_000 }));
    assert.deepEqual(
      [code, message],
      [
        'PLIMSOLL_TARGET_DIED',
        'the command ended during the measurement (exit code 7; it last wrote: out of luck)',
      ],
    );
  });

  test('the command that sends requests fails', async () => {
    const traffic = {
      from: 'command',
      words: [node, '-e', 'console.error("no token"); process.exit(2)'],
    } as const;
    const { code, message } = errorOf(await tuned(app('server.cjs', 'http1', '20'), { traffic }));
    assert.equal(code, 'PLIMSOLL_TRAFFIC_FAILED');
    assert.match(message, /failed \(exit code 2; it last wrote: no token\)$/);
  });

  test('a run that fails at one size only', async () => {
    const { code, message } = errorOf(
      await tuned(app('pool-work.cjs', '2', '2'), { sizes: [2, 4], timeMs: 60_000 }),
    );
    assert.equal(code, 'PLIMSOLL_TARGET_FAILED');
    assert.match(
      message,
      /^the command failed with 2 pool threads \(exit code 3; it last wrote: cannot work with 2\)$/,
    );
  });
});
