import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type SweepPlan, sweep, twinNoise } from '#plimsoll/lab/sweep.js';
import { createRandom } from '#plimsoll/stats/random.js';

const plan = (changes: Partial<SweepPlan> = {}): SweepPlan => ({
  sizes: [2, 4, 8],
  baseline: 4,
  blocks: 6,
  random: createRandom(3),
  signal: new AbortController().signal,
  ...changes,
});

describe('a sweep', () => {
  test('runs every size and the twin once a block, every second block reversed', async () => {
    const runs = await sweep(plan(), async (size) => size);
    const blocks = Array.from({ length: 6 }, (_, block) => runs.filter((run) => run.block === block));
    for (const [index, block] of blocks.entries()) {
      assert.deepEqual(block.map(({ size }) => size).sort(), [2, 4, 4, 8]);
      assert.deepEqual(
        block.filter(({ isTwin }) => isTwin).map(({ size }) => size),
        [4],
      );
      const arms = block.map(({ size, isTwin }) => (isTwin ? 'twin' : size));
      if (index % 2 === 1)
        assert.deepEqual(
          arms.toReversed(),
          blocks[index - 1]?.map(({ size, isTwin }) => (isTwin ? 'twin' : size)),
        );
    }
    const orders = new Set(blocks.map((block) => block.map(({ size }) => size).join()));
    assert.ok(orders.size > 1, 'the order is not always the same');
  });

  test('says where it is', async () => {
    const seen: number[] = [];
    await sweep(plan({ blocks: 2 }), async (_size, { done, planned }) => {
      assert.equal(planned, 8);
      seen.push(done);
    });
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('ends with the run during which it was aborted, and with one that fails', async () => {
    const controller = new AbortController();
    let runs = 0;
    const aborting = sweep(plan({ signal: controller.signal }), async () => {
      if (++runs === 2) controller.abort(new Error('enough'));
    });
    await assert.rejects(aborting, /enough/);
    assert.equal(runs, 2);
    await assert.rejects(
      sweep(plan(), async () => {
        throw new Error('failed');
      }),
      /failed/,
    );
  });
});

describe('the noise of a sweep', () => {
  const runs = (twinMs: number) =>
    sweep(plan(), async (size) => size).then((all) =>
      all.map((run) => ({ ...run, result: run.isTwin ? twinMs : 10 + run.block / 1000 })),
    );

  test('is that of the baseline and its twin, block by block', async () => {
    assert.equal(twinNoise(await runs(10), (ms) => ms)?.noisy, false);
    assert.equal(twinNoise(await runs(15), (ms) => ms)?.noisy, true);
  });

  test('cannot be told from figures that have no logarithm', async () => {
    assert.equal(
      twinNoise(await runs(0), (ms) => ms),
      null,
    );
    assert.equal(
      twinNoise<number, number>([], (ms) => ms),
      null,
    );
  });
});
