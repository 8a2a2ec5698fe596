import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '@plimsoll/lab';
import { compare, isSettled, judge } from '#studies/common/compare.js';
import type { ConditionResult, GenerationColumns } from '#studies/common/result.js';
import { conditionTable, failuresOf } from '#studies/common/tables.js';
import { type TurnsPlan, takeTurns } from '#studies/common/take-turns.js';
import { turnsOf } from './turns.js';

const plan = (
  round: (contender: string, count: number) => number | Promise<number>,
  given: Partial<TurnsPlan> = {},
): TurnsPlan & { closed: string[]; ended: string[] } => {
  const counts = new Map<string, number>();
  const [closed, ended]: [string[], string[]] = [[], []];
  return {
    closed,
    ended,
    contenders: ['a', 'b', 'c'],
    baseline: 'a',
    isolated: false,
    timeMs: 60_000,
    random: createRandom(1),
    signal: new AbortController().signal,
    open: async (contender) => ({
      pid: 1,
      round: async () => {
        const count = (counts.get(contender) ?? 0) + 1;
        counts.set(contender, count);
        return { metrics: { time: await round(contender, count), other: 123.456789 }, totalCpuSeconds: 0 };
      },
      close: async () => void closed.push(contender),
      end: async () => void ended.push(contender),
    }),
    isSettled: ({ method }) => method.generations === 2,
    onRound: () => {},
    ...given,
  };
};

const contenders = ['a', 'b', 'c'].map((id) => ({ id, title: `Title ${id}` }));
const conditionOf = (generations: readonly GenerationColumns[], lost?: string): ConditionResult => ({
  id: 'one',
  title: 'One',
  contenders,
  baseline: 'a',
  metrics: [
    { id: 'time', title: 'time', better: 'less', digits: 0 },
    { id: 'rate', title: 'rate', better: 'more', digits: 0 },
  ],
  judged: [
    ['b', 'a', 'time'],
    ['b', 'c', 'time'],
  ],
  parameters: {},
  ...turnsOf(generations, lost),
});

describe('contenders that take turns', () => {
  test('yield one number a block, of few digits, for each and the twin, until it is settled', async () => {
    const turns = await takeTurns(plan(() => 1));
    assert.equal(turns.method.stop, 'settled');
    assert.deepEqual([turns.method.generations, turns.generations.length, turns.method.looks], [2, 2, 2]);
    const { blocks } = turns.method;
    for (const generation of turns.generations)
      for (const arm of ['a', 'b', 'c', 'twin']) {
        assert.deepEqual(generation[arm]?.time, Array(blocks).fill(1));
        assert.equal(generation[arm]?.other?.[0], 123.5);
      }
    assert.equal(turns.method.rounds, 2 * blocks);
  });

  test('one that fails is out with its reason, and the others go on', async () => {
    const turns = await takeTurns(
      plan((contender, count) => {
        if (contender === 'b' && count === 2) throw new Error('it broke');
        return 1;
      }),
    );
    assert.deepEqual(turns.lost, [{ contender: 'b', reason: 'it broke' }]);
    assert.equal(turns.failure, null);
    assert.equal(turns.generations[0]?.b?.time?.length, 1);
    assert.equal(turns.generations[1]?.b, undefined);
    assert.equal(turns.generations[1]?.c?.time?.length, turns.method.blocks);
  });

  test('without the baseline there is nothing but its reason', async () => {
    const fails = plan((contender) => {
      if (contender === 'a') throw new Error('no such pool');
      return 1;
    });
    const turns = await takeTurns(fails);
    assert.deepEqual([turns.failure, turns.method.stop], ['no such pool', 'failed']);
    assert.deepEqual(turns.generations, []);
    assert.deepEqual(fails.ended, ['a']);
  });

  test('end when the time is over, and throw when they are interrupted', async () => {
    const turns = await takeTurns(plan(() => sleep(5, 1), { timeMs: 1, isSettled: () => false }));
    assert.deepEqual([turns.method.stop, turns.method.generations], ['time', 1]);
    const controller = new AbortController();
    const { signal } = controller;
    const onRound = (): void => controller.abort();
    await assert.rejects(takeTurns(plan(() => 1, { signal, onRound })), { name: 'AbortError' });
  });
});

describe('a comparison of a study', () => {
  const columns = (time: readonly number[]) => ({ time, rate: time });
  const generation = {
    a: columns([10, 20]),
    twin: columns([10, 20]),
    b: columns([20, 40]),
    c: columns([10.1, 20.2]),
  };
  const condition = conditionOf(Array(6).fill(generation));

  test('is judged as its metric counts, one by the other', () => {
    assert.equal(compare(condition, 'b', 'a', 'time')?.verdict, 'worse');
    assert.equal(compare(condition, 'a', 'b', 'time')?.verdict, 'better');
    assert.equal(compare(condition, 'b', 'a', 'rate')?.verdict, 'better');
    assert.equal(compare(condition, 'c', 'a', 'time')?.verdict, 'same');
    assert.equal(compare(condition, 'b', 'a', 'time')?.ratio.toFixed(3), '2.000');
  });

  test('carries a conclusion only when it is among what is judged', () => {
    assert.equal(judge(condition, 'a', 'b', 'time')?.exploratory, false);
    assert.throws(() => judge(condition, 'c', 'a', 'time'), RangeError);
    assert.throws(() => judge(condition, 'b', 'a', 'rate'), RangeError);
  });

  test('of what is judged has a wider interval than alone, and nothing before four generations', () => {
    const of = (index: number) => columns([10 + index, 20 - index]);
    const some = Array.from({ length: 6 }, (_, index) => ({
      ...{ a: columns([10, 20]), twin: columns([10, 20]), b: of(index), c: of(index) },
    }));
    const [judged, alone] = ['b', 'c'].map((one) => compare(conditionOf(some), one, 'a', 'time'));
    assert.ok(judged !== undefined && alone !== undefined);
    assert.equal(judged.ratio, alone.ratio);
    assert.ok(judged.high > alone.high);
    assert.equal(compare(conditionOf(some.slice(0, 3)), 'b', 'a', 'time')?.verdict, 'unclear');
  });

  test('is unclear where the twins differ, and not there for a contender that was lost or for what is not above 0', () => {
    const twin = columns([12, 24]);
    const noisy = conditionOf(Array(6).fill({ ...generation, twin }));
    assert.equal(compare(noisy, 'b', 'a', 'time')?.verdict, 'unclear');
    const without = conditionOf(Array(6).fill(generation), 'b');
    assert.equal(compare(without, 'b', 'a', 'time'), undefined);
    assert.deepEqual(failuresOf(without), ['Title b: it broke']);
    assert.deepEqual(conditionTable(without).rows[1], ['Title b', 'failed', 'failed']);
    const zero = conditionOf(Array(6).fill({ ...generation, b: columns([0, 1]) }));
    assert.equal(compare(zero, 'b', 'a', 'time'), undefined);
  });

  test('is settled when everything judged is', () => {
    assert.equal(isSettled(condition), true);
    assert.equal(isSettled(conditionOf(Array(3).fill(generation))), false);
    const wild = Array.from({ length: 6 }, (_, index) => ({
      ...generation,
      b: columns([10 + 9 * index, 20]),
    }));
    assert.equal(isSettled(conditionOf(wild)), false);
  });
});
