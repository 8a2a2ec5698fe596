import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Arm } from '#plimsoll/contest/block-order.js';
import {
  ArmLost,
  blocksOf,
  type Contestant,
  type ContestPlan,
  contest,
  type Outcome,
} from '#plimsoll/contest/contest.js';
import { blocksWorth, fitGenerations } from '#plimsoll/contest/fit.js';
import { createRandom } from '#plimsoll/stats/random.js';

interface Result {
  readonly value: number;
  readonly totalCpuSeconds: number;
}

/** Contestants that say what is done to them. */
function stage(round: (arm: Arm, count: number) => Promise<number> | number = () => 1) {
  const log: string[] = [];
  const alive = new Set<object>();
  let most = 0;
  const counts = new Map<Arm, number>();
  const open = async (arms: readonly Arm[]): Promise<Contestant<Result>> => {
    const self = {};
    alive.add(self);
    most = Math.max(most, alive.size);
    log.push(`open ${arms.join()}`);
    return {
      pid: process.pid,
      round: async (arm) => {
        assert.ok(arms.includes(arm));
        log.push(`round ${arm}`);
        counts.set(arm, (counts.get(arm) ?? 0) + 1);
        return { value: await round(arm, counts.get(arm) as number), totalCpuSeconds: 0 };
      },
      close: async () => {
        alive.delete(self);
        log.push(`close ${arms.join()}`);
      },
      end: async () => void alive.delete(self),
    };
  };
  return { log, alive, counts, open, most: () => most };
}

const plan = (
  open: ContestPlan<Result>['open'],
  given: Partial<ContestPlan<Result>> = {},
): ContestPlan<Result> => ({
  ids: [2, 4, 8],
  baseline: 4,
  blocks: 3,
  mostGenerations: 2,
  timeMs: null,
  startedMs: performance.now(),
  isolated: false,
  random: createRandom(1),
  signal: new AbortController().signal,
  open,
  judge: () => ({ settled: false }),
  ...given,
});

/** Rounds of an arm in complete blocks, by generation. */
const roundsOf = ({ rounds }: Outcome<Result>, arm: Arm): number[] =>
  blocksOf(rounds, ({ value }) => value).map(
    (blocks) => blocks.filter((block) => [arm, 4, 'twin'].every((one) => block.has(one as Arm))).length,
  );

const ARMS: readonly Arm[] = [2, 4, 8, 'twin'];

describe('a contest', () => {
  test('every block has every contestant and the twin once, in an order of its own; generations are of fresh processes', async () => {
    const { open, log, alive, most } = stage();
    const outcome = await contest(plan(open));
    assert.equal(outcome.stop, 'generations');
    assert.deepEqual([outcome.generations, outcome.looks.length, outcome.rounds.length], [2, 2, 2 * 3 * 4]);
    for (const generation of [0, 1])
      for (const block of [0, 1, 2]) {
        const arms = outcome.rounds.filter(
          (round) => round.generation === generation && round.block === block,
        );
        assert.deepEqual(arms.map(({ arm }) => String(arm)).sort(), [...ARMS].map(String).sort());
        assert.deepEqual(
          arms.map(({ order }) => order),
          [0, 1, 2, 3],
        );
      }
    assert.equal(log.filter((line) => line.startsWith('open')).length, 8);
    assert.equal(log.filter((line) => line.startsWith('close')).length, 8);
    assert.deepEqual([alive.size, most()], [0, 4]);
  });

  test('isolated: one process at a time, one round each', async () => {
    const { open, most, log } = stage();
    const outcome = await contest(plan(open, { isolated: true }));
    assert.equal(most(), 1);
    assert.equal(outcome.rounds.length, 2 * 4);
    assert.equal(log.filter((line) => line.startsWith('close')).length, 8);
  });

  test('one process can be all arms', async () => {
    const { open, most, log } = stage();
    const outcome = await contest(plan(open, { processOf: () => 'all' }));
    assert.deepEqual([most(), outcome.rounds.length], [1, 2 * 3 * 4]);
    assert.deepEqual(
      log.filter((line) => !line.startsWith('round')),
      ['open 2,4,8,twin', 'close 2,4,8,twin', 'open 2,4,8,twin', 'close 2,4,8,twin'],
    );
  });

  test('an arm that fails takes the process that it shares along; the next one goes without it', async () => {
    const { open, log } = stage((arm) => {
      if (arm === 8) throw new Error('died');
      return 1;
    });
    const outcome = await contest(plan(open, { processOf: () => 'all' }));
    assert.deepEqual([...outcome.lost.keys()], [8]);
    assert.ok(log.includes('open 2,4,twin'));
    assert.equal(roundsOf(outcome, 2)[1], 3);
  });

  test('one that no process can be had for leaves it to the others', async () => {
    const { open } = stage();
    const outcome = await contest(
      plan(
        (arms) =>
          arms.includes(8) ? Promise.reject(new ArmLost<number>(8, new Error('no thread'))) : open(arms),
        { processOf: () => 'all' },
      ),
    );
    assert.match(String(outcome.lost.get(8)), /no thread/);
    assert.deepEqual(roundsOf(outcome, 2), [3, 3]);
  });

  test('hopeless ones leave, and when only the baseline is left it is known', async () => {
    const { open, counts } = stage();
    const judge = ({ generations }: Outcome<Result>) => ({
      settled: false,
      hopeless: generations === 1 ? [8] : generations === 3 ? [2] : [],
    });
    const outcome = await contest(plan(open, { mostGenerations: 9, judge }));
    assert.deepEqual([outcome.stop, outcome.generations, outcome.lost.size], ['settled', 3, 0]);
    assert.deepEqual([counts.get(8), counts.get(2)], [3, 9]);
  });

  test('the judge says how long the next generation is', async () => {
    const { open } = stage();
    const judge = () => ({ settled: false, blocks: 1 });
    assert.deepEqual(roundsOf(await contest(plan(open, { judge })), 2), [3, 1]);
  });

  test('the last look is at all of the information, an earlier one at less', async () => {
    const { looks } = await contest(plan(stage().open, { mostGenerations: 4 }));
    assert.deepEqual(looks, [0.25, 0.5, 0.75, 1]);
    const late = await contest(plan(stage().open, { timeMs: 0 }));
    assert.deepEqual([late.stop, late.looks], ['time', [1]], 'never without one generation');
  });

  test('it ends when the answer is known', async () => {
    const settled = await contest(
      plan(stage().open, {
        mostGenerations: 9,
        judge: ({ generations }) => ({ settled: generations === 3 }),
      }),
    );
    assert.deepEqual([settled.stop, settled.generations], ['settled', 3]);
  });

  for (const isolated of [false, true])
    test(`a contestant that fails is out with its reason, the others go on (${isolated ? 'isolated' : 'alternating'})`, async () => {
      const { open, alive } = stage((arm, count) => {
        if (arm === 8 && count === 2) throw new Error('died');
        return 1;
      });
      const outcome = await contest(plan(open, { isolated, mostGenerations: 4 }));
      assert.equal(outcome.stop, 'generations');
      assert.match(String(outcome.lost.get(8)), /died/);
      assert.equal(outcome.rounds.filter(({ arm }) => arm === 8).length, 1, 'what it did before is kept');
      assert.equal(outcome.rounds.filter(({ arm }) => arm === 2).length, isolated ? 4 : 12);
      assert.deepEqual(roundsOf(outcome, 2), isolated ? [1, 1, 1, 1] : [3, 3, 3, 3]);
      assert.equal(alive.size, 0);
    });

  test('a contestant that does not even start is out too', async () => {
    const { open, alive } = stage();
    const outcome = await contest(
      plan((arms) => (arms.includes(2) ? Promise.reject(new Error('no thread')) : open(arms))),
    );
    assert.match(String(outcome.lost.get(2)), /no thread/);
    assert.equal(outcome.rounds.filter(({ arm }) => arm === 8).length, 6);
    assert.equal(alive.size, 0);
  });

  test('one that leaves no threads for the others is out, and they are started again', async () => {
    const { open, alive } = stage();
    let tries = 0;
    const outcome = await contest(
      plan((arms) => {
        const [arm] = arms;
        if (arm === 8 || (arm === 4 && ++tries === 1)) return Promise.reject(new Error('no thread'));
        return open(arms);
      }),
    );
    assert.deepEqual([outcome.stop, [...outcome.lost.keys()]], ['generations', [8]]);
    assert.equal(outcome.rounds.filter(({ arm }) => arm === 4).length, 6);
    assert.equal(alive.size, 0);
  });

  test('when all others are out nothing goes on', async () => {
    const { open } = stage((arm) => {
      if (arm === 2 || arm === 8) throw new Error('died');
      return 1;
    });
    const outcome = await contest(plan(open, { mostGenerations: 50 }));
    assert.deepEqual([outcome.stop, outcome.generations, outcome.lost.size], ['failed', 1, 2]);
  });

  for (const needed of [4, 'twin'] as const)
    test(`without ${needed} nothing can be told: what was measured before is kept`, async () => {
      const { open, alive } = stage((arm, count) => {
        if (arm === needed && count === 5) throw new Error('died');
        return 1;
      });
      const outcome = await contest(plan(open));
      assert.deepEqual([outcome.stop, outcome.generations], ['failed', 1]);
      assert.match(String(outcome.error), /died/);
      // The first generation, and the one complete block of the second.
      assert.deepEqual(roundsOf(outcome, 8), [3, 1]);
      assert.equal(alive.size, 0);
    });

  test('interrupted: every process is ended, complete blocks are kept', async () => {
    const controller = new AbortController();
    const { open, alive } = stage((arm, count) => {
      if (arm === 2 && count === 2) controller.abort();
      controller.signal.throwIfAborted();
      return 1;
    });
    const outcome = await contest(plan(open, { signal: controller.signal }));
    assert.equal(outcome.stop, 'interrupted');
    assert.equal(outcome.lost.size, 0, 'nobody is to blame');
    assert.deepEqual(roundsOf(outcome, 2), [1]);
    assert.equal(alive.size, 0);
  });
});

describe('how time is spent', () => {
  test('a seventh of it goes into starting processes, in few generations at the least and twenty where there is much', () => {
    const blocks = (timeMs: number, isShared: boolean) =>
      fitGenerations({ timeMs, aroundMs: 300, blockMs: 200, isShared }).blocks;
    assert.deepEqual([blocks(20_000, true), blocks(20_000, false)], [9, 9]);
    assert.deepEqual([blocks(5000, true), blocks(5000, false)], [3, 1]);
    assert.deepEqual([blocks(120_000, true), blocks(100, true)], [28, 1]);
  });

  test('the more that generations differ, the shorter they are', () => {
    const fit = fitGenerations({ timeMs: 20_000, aroundMs: 300, blockMs: 200 });
    assert.deepEqual([blocksWorth(fit, 0), blocksWorth(fit, 0.1), blocksWorth(fit, 10)], [9, 4, 1]);
  });
});
