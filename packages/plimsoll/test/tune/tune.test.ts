import assert from 'node:assert/strict';
import { isBuiltin } from 'node:module';
import { describe, test } from 'node:test';
import { fixture } from '../support/cli.js';
import { autocannon, type Tuned, tuned } from '../support/tune.js';

const linux = process.platform === 'linux' ? {} : { skip: 'looks at processes in /proc' };
const node = process.execPath;
const app = (name: string, ...args: string[]): string[] => [node, fixture(`tune/${name}`), ...args];

/** The outcome of one that came to an end. */
function outcomeOf({ measured, error, left }: Tuned): NonNullable<Tuned['measured']> {
  assert.equal(error, null);
  assert.deepEqual(left, []);
  return measured ?? assert.fail('no outcome');
}

/** The error of one that failed. */
function errorOf({ error, left }: Tuned): { code: string | undefined; message: string } {
  assert.deepEqual(left, []);
  const { code, message } = error ?? assert.fail('no error');
  return { code, message };
}

/** On a machine that is busy with other things it may be that nothing can be told; the wrong size is never right. */
const assertNeverLess = (recommended: number | null, best: number): void =>
  assert.ok(recommended === null || recommended === best, `recommended ${recommended} in place of ${best}`);

describe('a server', linux, () => {
  test('under the requests of a command: more threads are measured to be faster, and fewer to be slower', async () => {
    const run = await tuned(app('server.cjs', 'waits'), {
      traffic: autocannon('-c', '16', 'http://127.0.0.1:$PORT/'),
      timeMs: 8_000,
    });
    const { sizes, method, recommended } = outcomeOf(run);
    assertNeverLess(recommended, 16);
    assert.deepEqual([method.mode, method.processes, method.unit], ['live', 1, 'request']);
    assert.match(method.traffic ?? '', /autocannon\.js -c 16 http:\/\/127\.0\.0\.1:\$PORT\/$/);
    assert.deepEqual(run.phases, ['starting', 'waiting', 'warming up', 'measuring']);
    const ratio = (size: number): number => sizes.find((one) => one.size === size)?.ratio.mean ?? Number.NaN;
    // Of 16 requests 2, 4 or 16 are under way at a time: they take 160, 80 or 20 ms.
    assert.ok(ratio(2) > 1.4, `${ratio(2)} with 2`);
    assert.ok(ratio(16) < 0.7, `${ratio(16)} with 16`);
  });

  test('under requests to URLs: routes are told apart', async () => {
    const traffic = { from: 'urls', urls: ['/slow', '/quick'], connections: 8 } as const;
    const { sizes, method } = outcomeOf(await tuned(app('server.cjs', 'waits'), { traffic }));
    assert.equal(method.traffic, '/slow, /quick (8 connections)');
    const routes = sizes.find(({ size }) => size === 4)?.routes.map(({ route }) => route);
    assert.deepEqual(routes?.toSorted(), ['GET /quick', 'GET /slow']);
  });

  test('under requests of somebody else, who stops: what was measured until then must do', async () => {
    let sending: Promise<void> | null = null;
    const send = async (url: string): Promise<void> => {
      for (const end = performance.now() + 4_000; performance.now() < end; )
        await fetch(url).then((response) => response.text());
    };
    const run = await tuned(app('server.cjs', 'http1'), { timeMs: 120_000 }, ({ phase, at }) => {
      if (phase === 'waiting') sending ??= send(at as string);
    });
    await sending;
    const { method, sizes } = outcomeOf(run);
    assert.equal(method.stop, 'time');
    assert.ok(method.seconds < 60, `${method.seconds} s`);
    assert.ok(sizes.some(({ requests }) => requests > 0));
  });

  test('what counts its work by marks, and goes on for too long to be run again and again, is measured while it runs', async () => {
    const { method, sizes } = outcomeOf(await tuned(app('marks.cjs')));
    assert.equal(method.mode, 'live');
    assert.ok(sizes.every(({ requests }) => requests > 0));
  });
});

describe('a command that ends', linux, () => {
  test('is run in fresh processes: more threads are measured to be faster', async () => {
    const run = await tuned(app('pool-work.cjs', '16'), { sizes: [2, 4, 16], timeMs: 10_000 });
    const { sizes, method, recommended } = outcomeOf(run);
    assert.deepEqual(
      [method.mode, method.unit, method.processes, method.traffic],
      ['runs', 'run', null, null],
    );
    assertNeverLess(recommended, 16);
    const ratio = sizes.find(({ size }) => size === 2)?.ratio.mean ?? Number.NaN;
    assert.ok(ratio > 1.2, `${ratio} with 2`);
    assert.deepEqual(run.phases, ['starting', 'warming up', 'measuring']);
  });

  test('so is one that serves nobody but itself', async () => {
    const { method, sizes } = outcomeOf(
      await tuned(app('serves-itself.cjs', '50'), { sizes: [2, 4], timeMs: 8_000 }),
    );
    assert.equal(method.mode, 'runs');
    assert.ok(sizes.every(({ requests }) => requests >= 4));
  });

  test('one whose runs are too long for the time says how many minutes it would take', async () => {
    const slow = ['-e', 'setTimeout(() => {}, 1500)'];
    const { notes, recommended, answer } = outcomeOf(await tuned([node, ...slow], { timeMs: 4_000 }));
    assert.deepEqual([recommended, answer], [null, 'cannot tell']);
    assert.deepEqual(notes, [{ id: 'tune.needs-minutes', minutes: 2 }]);
  });
});

describe('bad input', linux, () => {
  const slash = { from: 'urls', urls: ['/'], connections: 2 } as const;
  const to = (url: string) => ({ traffic: { from: 'urls', urls: [url], connections: 2 } as const });

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
    const run = await tuned(app('server.cjs', 'http1'), { timeMs: 1_000 }, ({ phase, at }) => {
      if (phase === 'waiting') seen.push(at);
    });
    const { code, message } = errorOf(run);
    assert.equal(code, 'PLIMSOLL_NO_REQUESTS');
    assert.match(
      message,
      /^no request arrived within 1 s: send requests to http:\/\/127\.0\.0\.1:\d+ during the measurement, or let plimsoll send them, with --url/,
    );
    assert.match(seen[0] ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  });

  for (const [what, path] of [
    ['errors', '/fails'],
    ['nothing at all', '/lost'],
  ] as const)
    test(`the app answers ${what}`, async () => {
      const { code, message } = errorOf(await tuned(app('server.cjs', 'http1'), to(path)));
      assert.equal(code, 'PLIMSOLL_ONLY_ERRORS');
      assert.match(message, /no size can be recommended$/);
    });

  test('the app answers errors to a command that does not tell', async () => {
    const traffic = autocannon('-c', '2', 'http://127.0.0.1:$PORT/fails');
    const { code, message } = errorOf(await tuned(app('server.cjs', 'http1'), { traffic }));
    assert.equal(code, 'PLIMSOLL_ONLY_ERRORS');
    assert.match(message, /^all \d+ requests were answered with a status of 500 or more/);
  });

  test('the app dies in mid-run: how, and its last words', async () => {
    const dies = 'setTimeout(() => { console.error("out of luck"); process.exit(7); }, 2500)';
    const program = `require('node:http').createServer((_, response) => response.end()).listen(0, '127.0.0.1'); ${dies}`;
    const { code, message } = errorOf(await tuned([node, '-e', program], { traffic: slash }));
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
    const { code, message } = errorOf(await tuned(app('server.cjs', 'http1'), { traffic }));
    assert.equal(code, 'PLIMSOLL_TRAFFIC_FAILED');
    assert.match(message, /failed \(exit code 2; it last wrote: no token\)$/);
  });

  test('a run that fails at one size only', async () => {
    const { code, message } = errorOf(await tuned(app('pool-work.cjs', '2', '2'), { sizes: [2, 4] }));
    assert.equal(code, 'PLIMSOLL_TARGET_FAILED');
    assert.match(
      message,
      /^the command failed with 2 pool threads \(exit code 3; it last wrote: cannot work with 2\)$/,
    );
  });

  test('the app sets UV_THREADPOOL_SIZE itself: sizes up to that are compared, and it is said', async () => {
    const run = await tuned(app('server.cjs', 'own-size'), {
      traffic: slash,
      sizes: [1, 2, 64],
      baseline: 2,
      timeMs: 4_000,
    });
    const { notes, sizes } = outcomeOf(run);
    // Real threads can be added to whatever it set.
    const canGrow = isBuiltin('node:ffi');
    assert.deepEqual(notes, canGrow ? [] : [{ id: 'tune.app-sets-size', limit: 2, wanted: 64 }]);
    assert.deepEqual(
      sizes.map(({ size }) => size),
      canGrow ? [1, 2, 64] : [1, 2],
    );
  });
});
