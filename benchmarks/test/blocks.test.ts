import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Arm,
  blockOrders,
  createRandom,
  Guardian,
  type MachineCounters,
  readMachineCounters,
} from '@plimsoll/lab';
import fc from 'fast-check';
import { completeBlocks, runBlocks } from '#benchmarks/blocks/blocks.js';
import { Processes } from '#benchmarks/blocks/processes.js';

describe('the order of the runs', () => {
  test('every block holds every arm once; every second one is the one before reversed', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 1024 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer(),
        (sizes, blocks, seed) => {
          const orders = blockOrders(sizes, blocks, createRandom(seed));
          assert.equal(orders.length, blocks);
          for (const [index, order] of orders.entries()) {
            assert.deepEqual(new Set<Arm>(order), new Set<Arm>([...sizes, 'twin']));
            assert.equal(order.length, sizes.length + 1);
            if (index % 2 === 1) assert.deepEqual(order, orders[index - 1]?.toReversed());
          }
        },
      ),
    );
  });
});

const plan = (run: (size: number) => Promise<number>, blocks = 10) => ({
  sizes: [4, 8],
  baseline: 4,
  blocks,
  random: createRandom(1),
  run,
  cpuSecondsOf: () => 0,
});

describe('running blocks', () => {
  test('the twin runs at the baseline size', async () => {
    const sizes: number[] = [];
    const outcome = await runBlocks(
      plan(async (size) => {
        sizes.push(size);
        return size;
      }, 2),
    );
    assert.equal(outcome.error, undefined);
    assert.equal(sizes.filter((size) => size === 4).length, 2 * sizes.filter((size) => size === 8).length);
    assert.equal(completeBlocks(outcome, [4, 8]).get('twin')?.length, 2);
  });

  test('a failure keeps the runs before it, and only complete blocks are counted', async () => {
    let runs = 0;
    const outcome = await runBlocks(
      plan(async () => {
        if (++runs === 8) throw new Error('the eighth fails');
        return runs;
      }),
    );
    assert.match(String(outcome.error), /the eighth fails/);
    assert.equal(outcome.runs.length, 7);
    for (const arm of [4, 8, 'twin'] as const)
      assert.equal(completeBlocks(outcome, [4, 8]).get(arm)?.length, 2 - outcome.repeatedBlocks);
  });

  test('a block that another process disturbed is run again, for at most three in ten; its runs are kept', async () => {
    const outcome = await runBlocks({ ...plan(() => sleep(20, 1), 4), readCounters: () => countersOf(1) });
    assert.equal(outcome.error, undefined);
    assert.ok(outcome.runs.every(({ disturbances }) => disturbances.includes('other-load')));
    assert.equal(outcome.repeatedBlocks, 1);
    assert.equal(outcome.runs.length, (4 + 1) * 3);
    assert.equal(outcome.runs.filter(({ superseded }) => superseded).length, 3);
    assert.equal(completeBlocks(outcome, [4, 8]).get(8)?.length, 4);
  });

  test("the run's own CPU time is no disturbance, that of others is", async () => {
    for (const others of [0, 1]) {
      const outcome = await runBlocks({
        ...plan(async () => {
          const end = performance.now() + 100;
          while (performance.now() < end);
          return 1;
        }, 2),
        readCounters: () => countersOf(others),
      });
      const marked = outcome.runs.filter(({ disturbances }) => disturbances.includes('other-load'));
      assert.equal(marked.length, others * outcome.runs.length);
    }
  });
});

/** Of a machine with two CPUs that runs this process and as many others as said, which never pause. */
function countersOf(others: number): MachineCounters {
  const { user, system } = process.cpuUsage();
  const atMs = performance.now();
  return {
    ...readMachineCounters('/nowhere'),
    cpus: 2,
    stealJiffies: 0,
    busyJiffies: (user + system) / 1000 + others * atMs,
    totalJiffies: 2 * atMs,
    atMs,
  };
}

describe('processes that stay', () => {
  /** Answers with its id, and fails when it is told to. */
  const entry = `
    process.on('message', ({ fails }) => process.send(fails
      ? { type: 'failed', reason: 'as it was told' }
      : { type: 'measured', metrics: { pid: process.pid }, cpuSeconds: 0 }));
    process.send({ type: 'started' });`;

  test('answer so many runs, or until one fails; the twin has one of its own', async () => {
    const guardian = new Guardian();
    const start = { command: [process.execPath, '-e', entry], env: {} };
    const processes = new Processes<'one'>(start, 2, guardian, createRandom(1));
    const { signal } = new AbortController();
    const pidOf = async (arm: 'one' | 'twin', fails = false): Promise<number | undefined> => {
      const outcome = await processes.ask(arm, { job: { fails }, deadlineMs: 120_000 }, signal);
      return outcome.type === 'measured' ? outcome.metrics.pid : undefined;
    };
    try {
      const [first, twin, second, third] = [
        await pidOf('one'),
        await pidOf('twin'),
        await pidOf('one'),
        await pidOf('one'),
      ];
      assert.equal(second, first);
      assert.equal(new Set([first, twin, third]).size, 3);
      assert.equal(await pidOf('one', true), undefined);
      const fourth = await pidOf('one');
      assert.notEqual(fourth, third, 'it had failed');
      await processes.end();
      for (const pid of [first, twin, third, fourth])
        assert.throws(() => process.kill(pid as number, 0), /ESRCH/);
    } finally {
      await guardian.close();
    }
  });
});
