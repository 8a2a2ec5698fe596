import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '#plimsoll/stats/random.js';
import { Caution } from '#plimsoll/tune/live/caution.js';
import { type ContestOptions, contest, type Turn } from '#plimsoll/tune/live/contest.js';
import type { LiveWindow } from '#plimsoll/tune/live/target.js';

const arms = [1, 2, 4, 'twin'] as const;
type Arm = (typeof arms)[number];
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const held = (more: Partial<ContestOptions<Arm, Turn<Arm>>>) =>
  contest<Arm, Turn<Arm>>({
    arms,
    measure: async (turn) => turn,
    isDisturbed: () => false,
    judge: (results, { living }) => ({ living, settled: results.length >= 16 }),
    timeMs: 60_000,
    random: createRandom(1),
    signal: new AbortController().signal,
    ...more,
  });

const armsOf = (results: readonly Turn<Arm>[], block: number): Arm[] =>
  results.filter((turn) => turn.block === block).map(({ arm }) => arm);

describe('a contest', () => {
  test('has every arm once a block, each second block reversed, until it is settled', async () => {
    const { results, ending } = await held({});
    assert.equal(ending, 'settled');
    assert.equal(results.length, 16);
    for (let block = 0; block < 4; block++) assert.deepEqual(new Set(armsOf(results, block)), new Set(arms));
    assert.deepEqual(armsOf(results, 1), armsOf(results, 0).toReversed());
    assert.deepEqual(armsOf(results, 3), armsOf(results, 2).toReversed());
    assert.deepEqual(
      results.slice(0, 4).map(({ order }) => order),
      [0, 1, 2, 3],
    );
  });

  test('goes on without those that are hopeless', async () => {
    const { results, living } = await held({
      judge: (results, course) => ({
        living: course.living.filter((arm) => arm !== 1),
        settled: results.length > 12,
      }),
    });
    assert.deepEqual(living, [2, 4, 'twin']);
    assert.equal(results.filter(({ arm }) => arm === 1).length, 1);
  });

  test('measures what was disturbed once more in its block, and no third time', async () => {
    const { results } = await held({
      isDisturbed: ({ arm }) => arm === 2,
      judge: (_, { living }) => ({ living, settled: true }),
    });
    assert.deepEqual(armsOf(results, 0).filter((arm) => arm === 2).length, 2);
    assert.equal(results.length, 5);
  });

  test('begins no block that would end too late, and gives turns what is left for six blocks', async () => {
    const started = performance.now();
    const { results, ending, mostBlocks } = await held({
      timeMs: 600,
      measure: async (turn) => {
        await sleep(40);
        return turn;
      },
      judge: (_, { living }) => ({ living, settled: false }),
    });
    assert.equal(ending, 'time');
    assert.equal(results.length % 4, 0);
    assert.ok(performance.now() - started < 1_500);
    assert.ok((results[0]?.mostMs ?? 0) <= 600 / 6 / 4);
    assert.ok(mostBlocks >= 1 && mostBlocks <= 4);
  });

  test('ends with what it has on a signal, and passes on what goes wrong', async () => {
    const controller = new AbortController();
    const { results, ending } = await held({
      signal: controller.signal,
      measure: async (turn) => {
        if (turn.block === 1) controller.abort();
        return turn;
      },
    });
    assert.equal(ending, 'interrupted');
    assert.equal(results.length, 5);
    await assert.rejects(
      held({
        measure: async () => {
          throw new Error('the app died');
        },
      }),
      /the app died/,
    );
  });
});

describe('caution', () => {
  const window = (size: number, mean: number, more: Partial<LiveWindow> = {}): LiveWindow =>
    ({
      size,
      trouble: null,
      failed: 0,
      inFlight: 4,
      routes: new Map([['GET /', [mean]]]),
      ...more,
    }) as LiveWindow;

  test('a size of which nothing is known is tried once there are nine windows that were not worse', () => {
    const caution = new Caution(4);
    for (let count = 0; count < 9; count++) {
      assert.equal(caution.mayTry(8), false);
      caution.look(window(4, 10));
    }
    assert.equal(caution.mayTry(8), true);
    caution.look(window(8, 11));
    assert.equal(caution.mayTry(8), true);
    assert.deepEqual(caution.windows, { worse: 0, all: 10 });
  });

  test('one that was never better is left, one that was may be worse once', () => {
    const caution = new Caution(4);
    for (let count = 0; count < 30; count++) caution.look(window(4, 10));
    caution.look(window(2, 16));
    assert.deepEqual([...caution.left], [2]);
    caution.look(window(8, 10));
    caution.look(window(8, 16));
    assert.deepEqual([...caution.left], [2]);
    caution.look(window(8, 16));
    assert.deepEqual([...caution.left], [2, 8]);
  });

  test('trouble is measured by what the baseline has anyway', () => {
    const caution = new Caution(4);
    caution.look(window(4, 10, { failed: 5, inFlight: 30 }));
    assert.deepEqual(caution.limits(4), {});
    assert.deepEqual(caution.limits(8), { mostFailed: 17, mostOpen: 110 });
    caution.look(window(8, 1, { trouble: 'failures' }));
    assert.deepEqual([...caution.left], [8]);
  });
});
