import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judge } from '#plimsoll/tune/judge.js';
import type { CommandRun, Window } from '#plimsoll/tune/sample.js';
import { contest, type World } from './simulated.js';

const SIZES = [1, 4, 16, 64];
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** 16 is best; the others lose 18, 6 and 6 %. */
const valley = (size: number): number => 1 + 0.06 * ((Math.log2(size) - 4) / 2) ** 2;
/** More than any share of 40 trials that 5 % errors leave with a chance of 2 %. */
const MOST_OF_40 = 5;

describe('sizes that do not differ', () => {
  const contests = times(40).map((seed) =>
    contest({ sizes: SIZES, noise: 0.06, drift: 0.1, requests: 30, blocks: 14 }, seed),
  );

  test('are called better or worse in at most one contest of twenty, looked at after every block', () => {
    const wrong = contests.filter(({ judgement }) =>
      [...judgement.sizes.values()].some(({ verdict }) => verdict === 'better' || verdict === 'worse'),
    );
    assert.ok(wrong.length <= MOST_OF_40, `${wrong.length} of 40`);
  });

  test('leave the baseline unlike its twin in as few', () => {
    const noisy = contests.filter(({ judgement }) => judgement.noisy);
    assert.ok(noisy.length <= MOST_OF_40, `${noisy.length} of 40`);
  });

  test('and go on to the end, or until it is known that it does not matter', () => {
    assert.ok(contests.every(({ judgement, blocks }) => judgement.settled || blocks === 14));
  });
});

test('of a size that is 5 % better the contest says so, and drift of the whole machine is no matter', () => {
  for (const drift of [0, 0.3]) {
    const world: World = { sizes: SIZES, noise: 0.03, drift, requests: 30, blocks: 30 };
    const cost = (size: number): number => (size >= 16 ? 0.95 : 1);
    const right = times(12).filter((seed) => {
      const { leading, confidence } = contest({ ...world, cost }, seed).judgement;
      return (leading ?? 0) >= 16 && confidence === 'sure';
    });
    assert.ok(right.length >= 11, `${right.length} of 12 with drift ${drift}`);
  }
});

test('sure is wrong in hardly any contest, likely in at most one of four', () => {
  const wrong = { sure: 0, likely: 0, 'cannot tell': 0 };
  const all = { sure: 0, likely: 0, 'cannot tell': 0 };
  // As many servers whose baseline is wrong as such where no size is.
  for (const cost of [valley, () => 1])
    for (const noise of [0.08, 0.2])
      for (const seed of times(30)) {
        const { judgement } = contest({ sizes: SIZES, noise, cost, requests: 30, blocks: 16 }, seed);
        const { confidence, leading } = judgement;
        all[confidence]++;
        if (leading !== null && cost(leading) > 1.05) wrong[confidence]++;
      }
  assert.ok(all.sure >= 10, JSON.stringify(all));
  assert.ok(wrong.sure <= 1 + 0.1 * all.sure, `${wrong.sure} of ${all.sure} sure ones`);
  assert.ok(wrong.likely <= 2 + 0.25 * all.likely, `${wrong.likely} of ${all.likely} likely ones`);
});

describe('a hopeless size', () => {
  const cost = (size: number): number => ({ 1: 2, 64: 1.5 })[size] ?? 1;
  const { windows, judgement, plan } = contest({ sizes: SIZES, cost, noise: 0.05, blocks: 20 }, 5);
  const blocksOf = (size: number): number => windows.filter(({ arm }) => arm === size).length;

  test('leaves early; the others go on, the baseline and its twin always', () => {
    assert.ok(blocksOf(1) >= 4 && blocksOf(1) <= 7, `${blocksOf(1)}`);
    assert.ok(blocksOf(64) <= 10, `${blocksOf(64)}`);
    assert.deepEqual(judgement.living, [4, 16, 'twin']);
    assert.equal(judgement.sizes.get(1)?.state, 'left');
  });

  test('keeps its blocks, its interval and its verdict', () => {
    const { ratio, verdict, blocks } = judgement.sizes.get(1) ?? assert.fail();
    assert.equal(blocks, blocksOf(1));
    assert.equal(verdict, 'worse');
    assert.ok(ratio !== null && ratio.low < 2 && ratio.high > 1.8, JSON.stringify(ratio));
  });

  test('is not let in again: whoever is told that it left leaves it out', () => {
    assert.ok(!judge(windows, { ...plan, left: [1, 64, 16] }).living.includes(16));
  });

  test('is the baseline itself: it stays, and is not recommended', () => {
    const better = contest({ sizes: SIZES, cost: (size) => (size === 4 ? 1 : 0.5), blocks: 20 }, 1).judgement;
    assert.ok(better.living.includes(4));
    assert.ok(better.leading !== 4 && better.leading !== null);
  });
});

test('a size that beats the baseline is named while it is open which of several is the best', () => {
  const cost = (size: number): number => (size === 4 ? 2.5 : 1);
  const { leading, confidence, sizes } = contest(
    { sizes: [4, 16, 64], cost, noise: 0.25, blocks: 9 },
    2,
  ).judgement;
  assert.equal(confidence, 'likely');
  assert.ok((sizes.get(leading ?? 4)?.odds?.chanceSlower ?? 0) > 0.25, 'another may be more than 5 % better');
});

test('nobody is to change a setting for a guess: where nothing differs, what is likely is the baseline', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { leading, confidence, sizes } = contest(
      { sizes: [1, 2, 4, 8, 16, 64], noise: 0.12, blocks: 5 },
      seed,
    ).judgement;
    if (confidence !== 'likely' || leading === null || sizes.get(leading)?.verdict === 'better') continue;
    assert.equal(leading, 4, `seed ${seed}`);
  }
});

test('a machine on which the twin differs from the baseline tells nothing', () => {
  for (const seed of times(5)) {
    const { noisy, leading, confidence, settled } = contest(
      { sizes: SIZES, twin: 1.15, noise: 0.03, blocks: 14 },
      seed,
    ).judgement;
    assert.deepEqual(
      { noisy, leading, confidence, settled },
      { noisy: true, leading: null, confidence: 'cannot tell', settled: false },
    );
  }
});

test('a single block, or none, tells nothing', () => {
  const { judgement } = contest({ sizes: SIZES, cost: valley, blocks: 1 }, 1);
  assert.equal(judgement.leading, null);
  assert.deepEqual(judgement.living, [...SIZES, 'twin']);
  const empty = judge([], { sizes: SIZES, baseline: 4, objective: 'mean', mostBlocks: 1, seed: 1 });
  assert.deepEqual(
    { leading: empty.leading, settled: empty.settled, twin: empty.twin },
    { leading: null, settled: false, twin: null },
  );
});

test('disturbed windows count for nothing', () => {
  const spoilt = (window: Window): Window =>
    window.block % 3 === 1 && window.arm === 16
      ? { ...window, disturbed: true, routes: new Map([['GET /', [9_999]]]), failed: 50, inFlightGrowth: 500 }
      : window;
  const world: World = { sizes: SIZES, cost: valley, noise: 0.03, blocks: 20, change: spoilt };
  assert.equal(contest(world, 2).judgement.leading, 16);
});

describe('the mix of routes', () => {
  /** Clients that wait for their answers send more of the quick requests where the slow ones take longer. */
  const mixed = (size: number, slowMs: number): ReadonlyMap<string, readonly number[]> =>
    new Map([
      ['GET /quick', Array.from({ length: size === 16 ? 20 : 80 }, () => 5)],
      ['POST /slow', Array.from({ length: size === 16 ? 80 : 20 }, () => slowMs)],
    ]);

  test('may change with the size: that is no change of latency', () => {
    const change = (window: Window): Window => ({ ...window, routes: mixed(window.size, 50) });
    const { ratio } =
      contest({ sizes: [4, 16], blocks: 6, change }, 1).judgement.sizes.get(16) ?? assert.fail();
    assert.ok(Math.abs((ratio?.ratio ?? 0) - 1) < 0.01, JSON.stringify(ratio));
  });

  test('and a route that gets slower is seen whatever the mix', () => {
    const change = (window: Window): Window => ({
      ...window,
      routes: mixed(window.size, window.size === 16 ? 54 : 50),
    });
    const { ratio } =
      contest({ sizes: [4, 16], blocks: 6, change }, 1).judgement.sizes.get(16) ?? assert.fail();
    // Of three windows a block two are of 4: 60 % of the requests are quick. To each mean 0.5 ms of event-loop delay are added.
    const expected = (0.6 * 5 + 0.4 * 54 + 0.5) / (0.6 * 5 + 0.4 * 50 + 0.5);
    assert.ok(Math.abs((ratio?.ratio ?? 0) - expected) < 0.001, JSON.stringify(ratio));
  });
});

describe('requests that come at a rate of their own', () => {
  /** What is not served piles up. */
  const piled =
    (least: number) =>
    (window: Window): Window =>
      window.size < least
        ? { ...window, completed: 80, inFlightGrowth: 40, seconds: 1 }
        : { ...window, seconds: 1 };

  test('overload a size that does not keep up: it leaves after two windows, and has no ratio', () => {
    const { windows, judgement } = contest({ sizes: SIZES, blocks: 8, change: piled(4) }, 1);
    assert.equal(windows.filter(({ size }) => size === 1).length, 2);
    const one = judgement.sizes.get(1) ?? assert.fail();
    assert.deepEqual(
      { state: one.state, ratio: one.ratio, odds: one.odds },
      { state: 'overloaded', ratio: null, odds: null },
    );
  });

  test('overload the baseline: the best of the others is found all the same', () => {
    const cost = (size: number): number => (size === 64 ? 0.5 : 1);
    const { judgement } = contest({ sizes: SIZES, cost, blocks: 12, change: piled(16) }, 1);
    assert.ok(judgement.living.includes(4));
    assert.equal(judgement.leading, 64);
    assert.equal(judgement.sizes.get(64)?.ratio, null);
  });

  test('and chance alone piles up a few: that is no overload', () => {
    const change = (window: Window): Window => ({ ...window, inFlightGrowth: 9 });
    const { judgement } = contest({ sizes: SIZES, blocks: 6, change }, 1);
    assert.ok([...judgement.sizes.values()].every(({ state }) => state !== 'overloaded'));
  });
});

test('a window that ended before its long requests did is not one of quick requests', () => {
  /** At 1 a request takes 3 s; the few that had ended by then, files in memory, took 1 ms. */
  const change = (window: Window): Window =>
    window.size === 1
      ? { ...window, seconds: 0.5, completed: 4, unfinished: 18, routes: new Map([['GET /', [1, 1, 1, 1]]]) }
      : window;
  const { judgement } = contest({ sizes: SIZES, cost: valley, noise: 0.03, blocks: 12, change }, 1);
  const one = judgement.sizes.get(1) ?? assert.fail();
  assert.equal(one.state, 'left');
  // Twenty clients, and eight answers a second.
  assert.ok(Math.abs((one.ratio?.ratio ?? 0) - 2500 / 21) < 15, JSON.stringify(one.ratio));
  assert.equal(judgement.leading, 16);
});

test('a size at which requests fail is out, however fast the others of them are', () => {
  const change = (window: Window): Window => (window.size === 64 ? { ...window, failed: 20 } : window);
  const cost = (size: number): number => (size === 64 ? 0.3 : valley(size));
  const { judgement } = contest({ sizes: SIZES, cost, noise: 0.03, blocks: 12, change }, 1);
  assert.equal(judgement.sizes.get(64)?.state, 'failing');
  assert.equal(judgement.leading, 16);
});

test('failures that all sizes have in common are no size’s fault', () => {
  const change = (window: Window): Window => ({ ...window, failed: 5 });
  const { judgement } = contest({ sizes: SIZES, blocks: 4, change }, 1);
  assert.ok([...judgement.sizes.values()].every(({ state }) => state === 'living'));
});

test('nothing uses the pool where its threads idle while requests are under way', () => {
  const idle =
    (busyThreads: number) =>
    (window: Window): Window => ({ ...window, busyThreads });
  const world: World = { sizes: SIZES, noise: 0.1, blocks: 20 };
  const { judgement, blocks } = contest({ ...world, change: idle(0.004) }, 1);
  assert.equal(judgement.idle, true);
  assert.equal(judgement.settled, true);
  assert.ok(blocks < 10, `${blocks}`);
  assert.equal(contest({ ...world, blocks: 6, change: idle(1) }, 1).judgement.idle, false);
});

describe('by the 99th percentile', () => {
  test('blocks are taken together until there are enough requests', () => {
    const cost = (size: number): number => (size === 16 ? 0.6 : 1);
    const { judgement } = contest({ sizes: SIZES, cost, objective: 'p99', requests: 100, blocks: 24 }, 1);
    assert.equal(judgement.leading, 16);
    assert.ok((judgement.sizes.get(16)?.blocks ?? 99) <= 12);
  });

  test('with too few requests nothing is told', () => {
    const { judgement } = contest(
      { sizes: SIZES, cost: valley, objective: 'p99', requests: 20, blocks: 12 },
      1,
    );
    assert.equal(judgement.leading, null);
  });
});

test('by requests per second, failed ones left out', () => {
  const cost = (size: number): number => (size === 64 ? 0.7 : 1);
  const { judgement } = contest({ sizes: SIZES, cost, objective: 'throughput', blocks: 12 }, 1);
  assert.equal(judgement.leading, 64);
  assert.ok(Math.abs((judgement.sizes.get(64)?.ratio?.ratio ?? 0) - 0.7) < 0.1);
});

test('runs of a command are compared by their wall time', () => {
  const runs = times(8).flatMap((block) =>
    [1, 4, 'twin' as const, 16].map((arm, order): CommandRun => {
      const size = arm === 'twin' ? 4 : arm;
      const wallMs = ({ 1: 900, 16: 310 }[size] ?? 400) + ((block * 7 + order * 3) % 5) + 20 * block;
      return { block, order, arm, size, wallMs, cpuSeconds: 0.5, disturbed: false };
    }),
  );
  const plan = { sizes: [1, 4, 16], baseline: 4, objective: 'mean', mostBlocks: 8, seed: 1 } as const;
  const { leading, confidence, living, settled } = judge(runs, plan);
  assert.deepEqual(
    { leading, confidence, living, settled },
    { leading: 16, confidence: 'sure', living: [4, 16, 'twin'], settled: true },
  );
});
