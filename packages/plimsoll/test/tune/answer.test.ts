import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TuneResult } from '#plimsoll/results/tune.js';
import type { TuneFacts } from '#plimsoll/tune/answer.js';
import type { Window } from '#plimsoll/tune/sample.js';
import { FACTS, resultOf, resultOfSamples } from './simulated.js';

const SIZES = [1, 4, 16];

const ids = ({ findings }: TuneResult): string[] => findings.map(({ id }) => id);

const better = (size: number): number => ({ 1: 1.6, 16: 0.7 })[size] ?? 1;

describe('a size that is better', () => {
  const result = resultOf({ cost: better });

  test('is recommended, by what it gains', () => {
    const { recommended, confidence, answer: said, headline } = result;
    assert.deepEqual(
      { recommended, confidence, said },
      { recommended: 16, confidence: 'sure', said: 'change' },
    );
    assert.match(headline, /^16: −(2[5-9]|3[0-4]) % mean latency against 4 \[−\d+, −\d+\]$/);
  });

  test('stands in a row that says the same', () => {
    const row = result.sizes.find(({ size }) => size === 16) ?? assert.fail();
    assert.ok(Math.abs((row.ratio.mean ?? 0) - 0.7) < 0.06);
    assert.ok(Math.abs((row.ratio.throughput ?? 0) - 1 / 0.7) < 0.15);
    assert.equal(row.verdict, 'better');
    assert.equal(row.requests, row.blocks * 100);
    assert.ok(Math.abs(1000 * (20 / row.perSecond) - (row.meanMs ?? 0)) < 1, 'by Little’s law of 20 clients');
    assert.ok((row.meanMs ?? 0) < (row.p99Ms ?? 0));
  });

  test('and is the largest that was tried', () => assert.ok(ids(result).includes('tune.try-larger')));

  test('while a hopeless one left early, and the baseline has both its turns', () => {
    const [one, four] = result.sizes;
    assert.equal(one?.leftEarly, true);
    assert.ok(ids(result).includes('tune.left-early'));
    assert.equal(four?.requests, 2 * 100 * (four?.blocks ?? 0));
  });
});

describe('a route that gets more than 10 % slower', () => {
  /** Logins take half as long again at 16, everything else far less. */
  const change = (window: Window): Window => {
    const [all = []] = window.routes.values();
    const factor = window.size === 16 ? 2.2 : 1;
    return {
      ...window,
      routes: new Map([
        ['GET /', all.slice(0, 80)],
        ['POST /login', all.slice(80).map((ms) => ms * factor)],
      ]),
    };
  };
  const result = resultOf({ cost: (size) => (size === 16 ? 0.6 : 1), change, blocks: 16 });

  test('is named in the headline, and nobody is sure', () => {
    assert.equal(result.recommended, 16);
    assert.equal(result.confidence, 'likely');
    assert.match(
      result.headline,
      /^Likely 16: −\d+ % mean latency .*, but POST \/login takes [2-4]\d % longer$/,
    );
  });

  test('is a finding, and stands in the rows', () => {
    assert.ok(ids(result).includes('tune.route-slower'));
    const login = result.sizes.at(-1)?.routes.find(({ route }) => route === 'POST /login');
    assert.equal(login?.slower, 'yes');
    assert.ok(Math.abs((login?.ratio ?? 0) - 0.6 * 2.2) < 0.12);
  });

  test('is not told of a handful of requests', () => {
    const rare = (window: Window): Window =>
      window.block > 0
        ? window
        : { ...window, routes: new Map([...window.routes, ['GET /rare', [window.size === 16 ? 90 : 5]]]) };
    const { sizes, headline } = resultOf({ cost: better, change: rare });
    assert.equal(sizes.at(-1)?.routes.find(({ route }) => route === 'GET /rare')?.ratio, null);
    assert.doesNotMatch(headline, /rare/);
  });
});

describe('the answer is', () => {
  test('that the size does not matter', () => {
    const { answer: said, recommended, headline } = resultOf({ noise: 0.01, blocks: 30 });
    assert.deepEqual({ said, recommended }, { said: 'no difference', recommended: 4 });
    assert.equal(
      headline,
      'The size does not matter: 1 to 16 are as good as 4 (estimates within 3 %); keep 4',
    );
  });

  test('that nothing uses the pool', () => {
    const change = (window: Window): Window => ({ ...window, busyThreads: 0.001 });
    const { answer: said, recommended, headline } = resultOf({ noise: 0.1, change });
    assert.deepEqual({ said, recommended }, { said: 'no pool use', recommended: 4 });
    assert.equal(headline, 'Nothing here uses the pool: keep 4');
  });

  test('to keep the baseline', () => {
    const { headline, recommended } = resultOf({ cost: (size) => (size === 4 ? 1 : 1.3) });
    assert.deepEqual(
      { headline, recommended },
      { headline: 'Keep 4: no other size is better', recommended: 4 },
    );
  });

  test('that it cannot tell, first: the machine is too noisy', () => {
    const result = resultOf({ twin: 1.2 });
    assert.deepEqual(
      [result.recommended, result.confidence, result.answer],
      [null, 'cannot tell', 'cannot tell'],
    );
    assert.match(
      result.headline,
      /^Cannot tell: keep 4; the machine is too noisy: two measurements of 4 differ by \+\d+ %$/,
    );
    assert.equal(ids(result)[0], 'tune.noisy');
  });

  test('that it cannot tell: there was too little', () => {
    assert.match(
      resultOf({ blocks: 2 }).headline,
      /^Cannot tell: keep 4; the measurement has 2 blocks and needs at least 4$/,
    );
    const plan = { sizes: SIZES, baseline: 4, objective: 'mean', mostBlocks: 4, seed: 1 } as const;
    const none = resultOfSamples([], plan, { notes: [{ id: 'tune.needs-minutes', minutes: 12 }] });
    assert.deepEqual([none.recommended, none.sizes, none.twin], [null, [], null]);
    assert.match(none.headline, /^Cannot tell: keep 4; .* about 12 minutes: set --time 720$/);
  });

  test('that no size keeps up', () => {
    const change = (window: Window): Window => ({ ...window, inFlightGrowth: 60 });
    const result = resultOf({ change });
    assert.equal(result.recommended, null);
    assert.match(result.headline, /^Cannot tell: keep 4; no size can keep up/);
  });

  test('a size that keeps up where the baseline does not', () => {
    const change = (window: Window): Window =>
      window.size < 16 ? { ...window, inFlightGrowth: 60 } : window;
    const result = resultOf({ sizes: [1, 4, 16, 64], cost: (size) => (size === 64 ? 1.2 : 1), change });
    assert.equal(result.recommended, 16);
    assert.match(result.headline, /16: 4 cannot keep up with the requests$/);
    assert.ok(ids(result).includes('tune.overloaded'));
    assert.equal(result.sizes[0]?.meanMs, null);
  });
});

test('requests per second are better when there are more', () => {
  const { headline, sizes } = resultOf({ cost: better, objective: 'throughput' });
  assert.match(headline, /^16: \+[34]\d % requests per second against 4 \[\+\d+, \+\d+\]$/);
  const [low = 0, high = 0] = sizes.at(-1)?.interval ?? [];
  assert.ok(low > 1.2 && low < high);
});

test('an open stream has as many requests whatever the size, and requests per second tell nothing of it', () => {
  const change = (window: Window): Window => ({ ...window, seconds: 1 });
  const result = resultOf({ cost: better, objective: 'throughput', change });
  assert.ok(ids(result).includes('tune.open-stream'));
});

test('windows that were disturbed are counted, and not compared', () => {
  const change = (window: Window): Window => ({ ...window, disturbed: window.block === 1 });
  const result = resultOf({ blocks: 5, change });
  assert.equal(result.method.disturbed, 4);
  assert.equal(result.sizes.at(-1)?.requests, 4 * 100);
  assert.ok(ids(result).includes('tune.disturbed'));
});

test('what happened meanwhile is told', () => {
  const notes: TuneFacts['notes'] = [
    { id: 'tune.app-sets-size', limit: 8, wanted: 64 },
    { id: 'tune.sizes-left-out', sizes: [64], limit: 40 },
    { id: 'tune.traffic-restarted', times: 2 },
    { id: 'tune.traffic-limited', detail: 'the client was busy' },
  ];
  const result = resultOf({ blocks: 5 }, { notes });
  for (const { id } of notes) assert.ok(ids(result).includes(id), id);
});

test('why is told by what was measured at each size', () => {
  const change = (window: Window): Window => ({
    ...window,
    machineBusyCores: FACTS.environment.cpu.effectiveCpus,
    queueWaitMs: window.size === 16 ? { fast: 0.2, slow: 1 } : { fast: 8, slow: 40 },
  });
  const { findings } = resultOf({ cost: better, change });
  const text = (id: string): string => findings.find((finding) => finding.id === id)?.text ?? '';
  assert.equal(text('tune.queue-wait'), 'a job waits 8.00 ms for a pool thread at 4, and 0.20 ms at 16');
  assert.match(
    text('tune.lookup-wait'),
    /^lookups wait 40.0 ms at 4, and other jobs 8.00 ms: at most 2 of 4 threads/,
  );
  assert.match(text('tune.cores-busy'), /are busy at 16/);
});

test('runs of a command have a wall time, and no latency', () => {
  const runs = Array.from({ length: 8 }, (_, block) =>
    [1, 4, 'twin' as const, 16].map((arm, order) => {
      const size = arm === 'twin' ? 4 : arm;
      const wallMs = ({ 1: 900, 16: 310 }[size] ?? 400) + ((block * 7 + order * 3) % 5);
      return { block, order, arm, size, wallMs, cpuSeconds: 0.4, disturbed: false };
    }),
  ).flat();
  const plan = { sizes: SIZES, baseline: 4, objective: 'mean', mostBlocks: 8, seed: 1 } as const;
  const result = resultOfSamples(runs, plan, {
    method: { ...FACTS.method, mode: 'runs', resizing: null, processes: null },
  });
  assert.equal(result.method.unit, 'run');
  assert.match(result.headline, /^16: −2\d % wall time against 4/);
  const row = result.sizes.at(-1) ?? assert.fail();
  assert.deepEqual([row.p99Ms, row.loopDelayMs, row.requests], [null, null, 8]);
  assert.ok(Math.abs((row.cpu.cores ?? 0) - 0.4 / 0.312) < 0.02);
});
