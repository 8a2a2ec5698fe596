import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AlternatingPlan,
  alternate,
  type Contestant,
  pairedGenerations,
} from '#plimsoll/lab/alternating.js';
import type { Arm } from '#plimsoll/lab/block-order.js';
import { createRandom } from '#plimsoll/stats/random.js';

/** Contestants that say what is done to them. */
function stage(round: (arm: Arm, count: number) => Promise<number> | number = () => 1) {
  const log: string[] = [];
  const alive = new Set<object>();
  let most = 0;
  const counts = new Map<Arm, number>();
  const open = async (arm: Arm): Promise<Contestant<number>> => {
    const self = {};
    alive.add(self);
    most = Math.max(most, alive.size);
    log.push(`open ${arm}`);
    return {
      round: async () => {
        log.push(`round ${arm}`);
        counts.set(arm, (counts.get(arm) ?? 0) + 1);
        return round(arm, counts.get(arm) as number);
      },
      close: async () => {
        alive.delete(self);
        log.push(`close ${arm}`);
      },
      end: async () => void alive.delete(self),
    };
  };
  return { log, alive, counts, open, most: () => most };
}

const plan = (
  open: AlternatingPlan<number>['open'],
  given: Partial<AlternatingPlan<number>> = {},
): AlternatingPlan<number> => ({
  groups: [[2, 8]],
  baseline: 4,
  blocks: 3,
  mostGenerations: 2,
  isolated: false,
  random: createRandom(1),
  signal: new AbortController().signal,
  open,
  hasTime: () => true,
  isSettled: () => false,
  ...given,
});

const ARMS: readonly Arm[] = [2, 4, 8, 'twin'];

describe('alternating rounds', () => {
  test('every block has every contestant and the twin once, in an order of its own; generations are of fresh processes', async () => {
    const { open, log, alive, most } = stage();
    const outcome = await alternate(plan(open));
    assert.equal(outcome.stop, 'generations');
    assert.deepEqual([outcome.generations, outcome.looks, outcome.rounds.length], [2, 2, 2 * 3 * 4]);
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
    const outcome = await alternate(plan(open, { isolated: true }));
    assert.equal(most(), 1);
    assert.equal(outcome.rounds.length, 2 * 4);
    assert.equal(log.filter((line) => line.startsWith('close')).length, 8);
  });

  test('groups: the baseline and its twin live in each, no others', async () => {
    const { open, most } = stage();
    const outcome = await alternate(plan(open, { groups: [[2], [8]] }));
    assert.equal(most(), 3);
    const paired = pairedGenerations(outcome.rounds, [2, 4, 8], 4);
    assert.equal(paired.length, 2);
    assert.equal(paired[0]?.get(8)?.own.length, 3);
    assert.equal(paired[0]?.get('twin')?.own.length, 6, 'the twin is there in both groups');
  });

  test('it ends when the answer is known, and when the time is up', async () => {
    const settled = await alternate(
      plan(stage().open, { mostGenerations: 9, isSettled: ({ generations }) => generations === 3 }),
    );
    assert.deepEqual([settled.stop, settled.generations], ['settled', 3]);
    const late = await alternate(plan(stage().open, { mostGenerations: 9, hasTime: () => false }));
    assert.deepEqual([late.stop, late.generations], ['time', 1], 'never without one generation');
  });

  for (const isolated of [false, true])
    test(`a contestant that fails is out with its reason, the others go on (${isolated ? 'isolated' : 'alternating'})`, async () => {
      const { open, alive } = stage((arm, count) => {
        if (arm === 8 && count === 2) throw new Error('died');
        return 1;
      });
      const outcome = await alternate(plan(open, { isolated, mostGenerations: 4 }));
      assert.equal(outcome.stop, 'generations');
      assert.match(String(outcome.lost.get(8)), /died/);
      assert.equal(outcome.rounds.filter(({ arm }) => arm === 8).length, 1, 'what it did before is kept');
      assert.equal(outcome.rounds.filter(({ arm }) => arm === 2).length, isolated ? 4 : 12);
      assert.equal(pairedGenerations(outcome.rounds, [2, 4], 4).length, 4);
      assert.equal(alive.size, 0);
    });

  test('a contestant that does not even start is out too', async () => {
    const { open, alive } = stage();
    const outcome = await alternate(
      plan((arm) => (arm === 2 ? Promise.reject(new Error('no thread')) : open(arm))),
    );
    assert.match(String(outcome.lost.get(2)), /no thread/);
    assert.equal(outcome.rounds.filter(({ arm }) => arm === 8).length, 6);
    assert.equal(alive.size, 0);
  });

  test('one that leaves no threads for the others is out, and they are started again', async () => {
    const { open, alive } = stage();
    let tries = 0;
    const outcome = await alternate(
      plan((arm) => {
        if (arm === 8 || (arm === 4 && ++tries === 1)) return Promise.reject(new Error('no thread'));
        return open(arm);
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
    const outcome = await alternate(plan(open, { mostGenerations: 50 }));
    assert.deepEqual([outcome.stop, outcome.generations, outcome.lost.size], ['failed', 1, 2]);
  });

  for (const needed of [4, 'twin'] as const)
    test(`without ${needed} nothing can be told: what was measured before is kept`, async () => {
      const { open, alive } = stage((arm, count) => {
        if (arm === needed && count === 5) throw new Error('died');
        return 1;
      });
      const outcome = await alternate(plan(open));
      assert.deepEqual([outcome.stop, outcome.generations], ['failed', 1]);
      assert.match(String(outcome.error), /died/);
      // The first generation, and the one complete block of the second.
      const paired = pairedGenerations(outcome.rounds, [2, 4, 8], 4);
      assert.deepEqual(
        paired.map((generation) => generation.get(8)?.own.length),
        [3, 1],
      );
      assert.equal(alive.size, 0);
    });

  test('interrupted: every process is ended, complete blocks are kept', async () => {
    const controller = new AbortController();
    const { open, alive } = stage((arm, count) => {
      if (arm === 2 && count === 2) controller.abort();
      controller.signal.throwIfAborted();
      return 1;
    });
    const outcome = await alternate(plan(open, { signal: controller.signal }));
    assert.equal(outcome.stop, 'interrupted');
    assert.equal(outcome.lost.size, 0, 'nobody is to blame');
    assert.equal(pairedGenerations(outcome.rounds, [2, 4, 8], 4)[0]?.get(2)?.own.length, 1);
    assert.equal(alive.size, 0);
  });
});
