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
    const run = await tuned(app('server.cjs', 'waits'), { traffic, timeMs: 3_000 });
    const { sizes, method } = outcomeOf(run);
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
    const run = await tuned(app('server.cjs', 'http1', '5'), { timeMs: 120_000 }, ({ phase, at }) => {
      if (phase === 'waiting') sending ??= send(at as string);
    });
    await sending;
    const { method, sizes } = outcomeOf(run);
    assert.equal(method.stop, 'time');
    assert.ok(method.seconds < 60, `${method.seconds} s`);
    assert.ok(sizes.some(({ requests }) => requests > 0));
  });

  test('what counts its work by marks, and goes on for too long to be run again and again, is measured while it runs', async () => {
    const { method, sizes } = outcomeOf(await tuned(app('marks.cjs'), { timeMs: 6_000 }));
    assert.equal(method.mode, 'live');
    assert.ok(sizes.every(({ requests }) => requests > 0));
  });

  test('the app sets UV_THREADPOOL_SIZE itself: sizes up to that are compared, and it is said', async () => {
    const run = await tuned(app('server.cjs', 'own-size', '20'), {
      traffic: { from: 'urls', urls: ['/'], connections: 2 },
      sizes: [1, 2, 64],
      baseline: 2,
      timeMs: 3_000,
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

describe('a command that ends', linux, () => {
  test('is run in fresh processes: more threads are measured to be faster', async () => {
    const run = await tuned(app('pool-work.cjs', '8'), { sizes: [2, 4, 16], timeMs: 8_000 });
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
      await tuned(app('serves-itself.cjs', '10'), { sizes: [2, 4], timeMs: 9_000 }),
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
