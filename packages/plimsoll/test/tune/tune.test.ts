import assert from 'node:assert/strict';
import { isBuiltin } from 'node:module';
import { describe, test } from 'node:test';
import type { TuneProgress } from '#plimsoll/tune/request.js';
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

/** Long enough on any machine: whoever has seen enough blocks interrupts it. */
const PATIENT = { timeMs: 60_000 } as const;
const untilBlock =
  (least: number) =>
  ({ phase, blocks }: TuneProgress, abort: AbortController): void => {
    if (phase === 'measuring' && blocks >= least) abort.abort();
  };

describe('a server', linux, () => {
  test('under the requests of a command: each size is measured by itself', async () => {
    const run = await tuned(app('server.cjs', 'waits'), {
      traffic: autocannon('-c', '16', 'http://127.0.0.1:$PORT/'),
      timeMs: 8_000,
    });
    const { sizes, method, recommended, confidence } = outcomeOf(run);
    // On a machine that is busy with other things it may be that nothing is sure.
    if (confidence === 'sure') assert.equal(recommended, 16);
    assert.deepEqual([method.mode, method.processes, method.unit], ['live', 1, 'request']);
    assert.match(method.traffic ?? '', /autocannon\.js -c 16 http:\/\/127\.0\.0\.1:\$PORT\/$/);
    assert.deepEqual(run.phases, ['starting', 'waiting', 'warming up', 'measuring']);
    assert.deepEqual(
      sizes.map(({ size }) => size),
      [2, 4, 16],
    );
    // Of 16 requests 2 are under way at a time, for 20 ms: 100 a second. After a stall all 16 end at once. 16 threads make 800.
    const [two] = sizes;
    assert.ok((two?.perSecond ?? 800) < 300, `${two?.perSecond} a second with 2`);
  });

  test('under requests to URLs: routes are told apart', async () => {
    const traffic = { from: 'urls', urls: ['/slow', '/quick'], connections: 8 } as const;
    const run = await tuned(app('server.cjs', 'waits'), { traffic, timeMs: 20_000 }, untilBlock(1));
    const { sizes, method } = outcomeOf(run);
    assert.equal(method.traffic, '/slow, /quick (8 connections)');
    const routes = new Set(sizes.flatMap((size) => size.routes.map(({ route }) => route)));
    assert.deepEqual(routes, new Set(['GET /quick', 'GET /slow']));
  });

  test('under requests of somebody else, who stops: what was measured until then must do', async () => {
    let sending: Promise<void> | null = null;
    let isEnough = false;
    const send = async (url: string): Promise<void> => {
      while (!isEnough) await fetch(url).then((response) => response.text());
    };
    const run = await tuned(app('server.cjs', 'http1', '5'), { timeMs: 60_000 }, ({ phase, at }) => {
      if (phase === 'waiting') sending ??= send(at as string);
      isEnough ||= phase === 'measuring';
    });
    await sending;
    const { method, sizes } = outcomeOf(run);
    assert.equal(method.stop, 'time');
    assert.ok(method.seconds < 55, `${method.seconds} s`);
    assert.ok(sizes.some(({ requests }) => requests > 0));
  });

  test('what counts its work by marks, and goes on for too long to be run again and again, is measured while it runs', async () => {
    const { method, sizes } = outcomeOf(await tuned(app('marks.cjs'), { timeMs: 20_000 }, untilBlock(2)));
    assert.equal(method.mode, 'live');
    assert.ok(sizes.every(({ requests }) => requests > 0));
  });

  test('the app sets UV_THREADPOOL_SIZE itself: sizes up to that are compared, and it is said', async () => {
    const traffic = { from: 'urls', urls: ['/'], connections: 2 } as const;
    const request = { traffic, sizes: [1, 2, 64], baseline: 2, timeMs: 20_000 };
    const run = await tuned(app('server.cjs', 'own-size', '20'), request, untilBlock(1));
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
  test('is run in fresh processes, each with its size', async () => {
    const run = await tuned(app('pool-work.cjs', '8'), { sizes: [2, 4, 16], ...PATIENT }, untilBlock(1));
    const { sizes, method } = outcomeOf(run);
    assert.deepEqual(
      [method.mode, method.unit, method.processes, method.traffic],
      ['runs', 'run', null, null],
    );
    // A tenth of a second for as many of the eight jobs as there are threads, and however long the processes take.
    for (const { size, meanMs } of sizes)
      assert.ok((meanMs ?? 0) > 98 * Math.ceil(8 / size), `${meanMs} ms with ${size}`);
    assert.equal(sizes.length, 3);
    assert.deepEqual(run.phases, ['starting', 'warming up', 'measuring']);
  });

  test('so is one that serves nobody but itself', async () => {
    const { method, sizes } = outcomeOf(
      await tuned(app('serves-itself.cjs', '10'), { sizes: [2, 4], ...PATIENT }, untilBlock(1)),
    );
    assert.equal(method.mode, 'runs');
    assert.deepEqual(
      sizes.map(({ requests }) => requests >= 1),
      [true, true],
    );
  });

  test('one whose runs are too long for the time says how many minutes it would take', async () => {
    const slow = ['-e', 'setTimeout(() => {}, 1500)'];
    const { notes, recommended, answer } = outcomeOf(await tuned([node, ...slow], { timeMs: 4_000 }));
    assert.deepEqual([recommended, answer], [null, 'cannot tell']);
    const [note, ...more] = notes;
    assert.deepEqual([note?.id, more], ['tune.needs-minutes', []]);
    // Two for runs of a second and a half, more on a slow machine.
    assert.ok(note?.id === 'tune.needs-minutes' && note.minutes >= 2 && Number.isInteger(note.minutes));
  });
});
