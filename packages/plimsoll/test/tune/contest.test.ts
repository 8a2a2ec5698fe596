import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '#plimsoll/stats/random.js';
import type { Judgement } from '#plimsoll/tune/judge.js';
import { Caution } from '#plimsoll/tune/live/caution.js';
import { type ContestOptions, contest, type Turn } from '#plimsoll/tune/live/contest.js';
import type { LiveWindow } from '#plimsoll/tune/live/target.js';
import type { Arm, CommandRun } from '#plimsoll/tune/sample.js';

const sizes = [1, 2, 4];
const arms: readonly Arm[] = [...sizes, 'twin'];

const runOf = ({ mostMs: _, ...place }: Turn, more: Partial<CommandRun> = {}): CommandRun => ({
  ...{ ...place, wallMs: 1, cpuSeconds: null, disturbed: false },
  ...more,
});
const judgement = (settled: boolean, living = arms) => ({ living, settled }) as Judgement;

const held = (more: Partial<ContestOptions<CommandRun>>, timeMs = 60_000) =>
  contest<CommandRun>({
    question: { sizes, baseline: 4, objective: 'mean', seed: 1, timeMs },
    measure: async (turn) => runOf(turn),
    judge: (results) => judgement(results.length >= 16),
    random: createRandom(1),
    signal: new AbortController().signal,
    ...more,
  });

const armsOf = (results: readonly CommandRun[], block: number): Arm[] =>
  results.filter((run) => run.block === block).map(({ arm }) => arm);

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
    const { results, plan } = await held({
      judge: (results) =>
        judgement(
          results.length > 12,
          arms.filter((arm) => arm !== 1),
        ),
    });
    assert.deepEqual(plan.left, [1]);
    assert.equal(results.filter(({ arm }) => arm === 1).length, 1);
  });

  test('measures what was disturbed once more in its block, and no third time', async () => {
    const { results } = await held({
      measure: async (turn) => runOf(turn, { disturbed: turn.arm === 2 }),
      judge: () => judgement(true),
    });
    assert.deepEqual(armsOf(results, 0).filter((arm) => arm === 2).length, 2);
    assert.equal(results.length, 5);
  });

  test('begins no block that would end too late, and gives turns what is left for six blocks', async (context) => {
    let nowMs = 0;
    context.mock.method(performance, 'now', () => nowMs);
    let firstMs: number | null = null;
    const { results, ending, plan } = await held(
      {
        measure: async (turn) => {
          firstMs ??= turn.mostMs;
          nowMs += 40;
          return runOf(turn);
        },
        judge: () => judgement(false),
      },
      600,
    );
    assert.equal(ending, 'time');
    // A block takes 160 ms: after three of them too little is left for a fourth.
    assert.equal(results.length, 3 * 4);
    assert.equal(firstMs, 600 / 6 / 4);
    assert.equal(plan.mostBlocks, 4);
  });

  test('ends with what it has on a signal, and passes on what goes wrong', async () => {
    const controller = new AbortController();
    const { results, ending } = await held({
      signal: controller.signal,
      measure: async (turn) => {
        if (turn.block === 1) controller.abort();
        return runOf(turn);
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
      isTrouble: false,
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
    assert.deepEqual([caution.worse, caution.windows], [0, 10]);
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
    caution.look(window(8, 1, { isTrouble: true }));
    assert.deepEqual([...caution.left], [8]);
  });
});
