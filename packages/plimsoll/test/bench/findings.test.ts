import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { because } from '#plimsoll/report/bench.js';
import { type FindingContext, findings } from '#plimsoll/report/findings/bench.js';
import { plainStyle } from '#plimsoll/report/style.js';
import { sectionsText } from '#plimsoll/report/terminal.js';
import type { RoundResult, SizeResult, WorkloadResult } from '#plimsoll/results/bench.js';

const CONTEXT: FindingContext = {
  baseline: 4,
  effectiveCpus: 2,
  filesystem: { type: 'ext4', isMemory: false },
  resolver: null,
};

const round = (given: Partial<RoundResult> = {}): RoundResult => ({
  generation: 0,
  block: 0,
  order: 0,
  workMs: 100,
  opsPerSecond: 1000,
  latencyMs: { p50: 1, p99: 2 },
  cpuSeconds: 0.16,
  maxRssBytes: 1e8,
  eventLoopDelayMs: { p50: 0, p99: 1, max: 2 },
  ...given,
});

const size = (number: number, given: Partial<SizeResult> = {}): SizeResult => ({
  size: number,
  observedThreads: number,
  workMs: 100,
  ratio: 1,
  interval: [0.99, 1.01],
  verdict: 'same',
  probabilityOfBest: 0.5,
  expectedLoss: 0.001,
  chanceSlower: 0,
  eventLoopDelayMs: { p50: 0, p99: 1, max: 2 },
  rounds: [round()],
  ...given,
});

const method = (generations: number): WorkloadResult['method'] => ({
  mode: 'alternating',
  repetitions: 1,
  blocks: 2,
  generations,
  mostGenerations: 12,
  rounds: 2 * generations,
  looks: generations,
  fixed: null,
  shares: [],
  seconds: 11,
  stop: 'settled',
});

const workload = (sizes: SizeResult[], given: Partial<WorkloadResult> = {}): WorkloadResult => ({
  name: 'crypto',
  description: '',
  operations: 100,
  parameters: {},
  unloadedLatencyMs: 1,
  method: method(8),
  noise: { aaRatio: 1, aaInterval: [0.99, 1.01], noisy: false },
  disturbances: [],
  twinRounds: [],
  sizes,
  lost: [],
  best: 4,
  recommended: 4,
  asGood: [4],
  higherEventLoopDelay: [],
  settled: true,
  failure: null,
  ...given,
});

const found = (workloads: WorkloadResult[], id: string, context = CONTEXT) =>
  findings(workloads, context).filter((finding) => finding.id === id);
const textOf = (workloads: WorkloadResult[], id: string, context = CONTEXT): string | undefined =>
  found(workloads, id, context)[0]?.text;

const eightIsFaster = size(8, { ratio: 0.79, interval: [0.75, 0.83], verdict: 'better' });

describe('speed', () => {
  test('faster, and nothing beyond', () => {
    const sizes = [size(4), eightIsFaster, size(12, { ratio: 0.8, verdict: 'better' })];
    assert.equal(
      textOf([workload(sizes, { best: 8, recommended: 8 })], 'bench.faster'),
      'crypto: 8 is 21 % faster than 4 [17, 25]; larger sizes bring no further gain',
    );
  });

  test('the largest measured size is the best: measure larger ones', () => {
    const text = textOf([workload([size(4), eightIsFaster], { recommended: 8 })], 'bench.try-larger');
    assert.match(text ?? '', /^crypto: 8 is the largest .*--sizes 8,16,32/);
    const more = workload([size(4), eightIsFaster, size(12)], { recommended: 8 });
    assert.equal(found([more], 'bench.try-larger').length, 0);
  });

  test('nothing is said of sizes beyond when none was measured', () => {
    const text = textOf([workload([size(4), eightIsFaster], { recommended: 8 })], 'bench.faster');
    assert.equal(text, 'crypto: 8 is 21 % faster than 4 [17, 25]');
  });

  test('slower: the pool is not the bottleneck', () => {
    const slow = size(12, { ratio: 1.125, interval: [1.08, 1.16], verdict: 'worse' });
    assert.equal(
      textOf([workload([size(4), slow], { name: 'file' })], 'bench.slower'),
      'file: 12 is 13 % slower than 4 [8.0, 16]; the pool is not the bottleneck',
    );
  });

  test('too small a pool, and no word of it when the small one is merely unclear', () => {
    const small = size(1, { ratio: 2, interval: [1.9, 2.1], verdict: 'worse' });
    assert.match(textOf([workload([small, size(4)])], 'bench.too-small') ?? '', /1 is 100 % slower than 4/);
    assert.equal(found([workload([{ ...small, verdict: 'unclear' }, size(4)])], 'bench.too-small').length, 0);
  });

  test('no gain', () => {
    assert.equal(
      textOf([workload([size(4), size(8), size(12)])], 'bench.no-gain'),
      'crypto: 8 and 12 are no faster than 4',
    );
  });

  test('fewer threads are enough: the same, or a small loss to be expected', () => {
    const same = workload([size(2), size(4)], { recommended: 2 });
    assert.equal(textOf([same], 'bench.smaller-is-enough'), 'crypto: 2 threads perform as well as 4');
    const weak = workload([size(2, { verdict: 'unclear', expectedLoss: 0.013 }), size(4)], {
      recommended: 2,
    });
    assert.match(
      textOf([weak], 'bench.smaller-is-enough') ?? '',
      /2 threads are expected to be 1.3 % slower/,
    );
  });

  test('the CPUs were the limit', () => {
    const busy = size(4, { rounds: [round({ cpuSeconds: 0.196 })] });
    assert.match(textOf([workload([busy, size(8)])], 'bench.cpu-bound') ?? '', /keep 2.0 of 2 CPUs busy/);
    assert.equal(found([workload([size(4), size(8)])], 'bench.cpu-bound').length, 0);
  });

  test('the pool was the limit', () => {
    const idle = size(4, { rounds: [round({ cpuSeconds: 0.02 })] });
    assert.match(
      textOf([workload([idle, eightIsFaster])], 'bench.pool-bound') ?? '',
      /only 0.2 of 2 CPUs were busy/,
    );
    assert.equal(found([workload([idle, size(8)])], 'bench.pool-bound').length, 0);
  });
});

test('higher event-loop delays are said with every figure', () => {
  const calm = size(4, { eventLoopDelayMs: { p50: 0, p99: 6.2, max: 9 } });
  const late = size(16, { eventLoopDelayMs: { p50: 0, p99: 21.4, max: 40 } });
  assert.equal(
    textOf([workload([calm, late], { higherEventLoopDelay: [16] })], 'bench.event-loop-delay'),
    'crypto: 16 is no faster than 4, and raises the p99 event-loop delay from 6.20 ms to 21.4 ms',
  );
  const later = size(32, { eventLoopDelayMs: { p50: 0, p99: 48, max: 60 } });
  assert.match(
    textOf([workload([calm, late, later], { higherEventLoopDelay: [16, 32] })], 'bench.event-loop-delay') ??
      '',
    /16 and 32 are no faster than 4, and raise the p99 event-loop delay from .* ms to 21.4 ms and 48.0 ms/,
  );
});

describe('lookups', () => {
  const lookups = (atOnce: (size: number) => number): WorkloadResult =>
    workload(
      [4, 8].map((n) => size(n, { workMs: (50 * 10) / atOnce(n) })),
      { name: 'dns', operations: 50, unloadedLatencyMs: 10 },
    );

  test('half of the pool, when the times show half', () => {
    assert.match(
      textOf([lookups((n) => (n + 1) >> 1)], 'bench.half-for-lookups') ?? '',
      /on 8 threads, 4.0 of 50 lookups \(10.0 ms each\) ran at a time/,
    );
  });

  test('not when all threads served them, nor of any other workload', () => {
    assert.equal(found([lookups((n) => n)], 'bench.half-for-lookups').length, 0);
    const other = { ...lookups((n) => (n + 1) >> 1), name: 'zlib' };
    assert.equal(found([other], 'bench.half-for-lookups').length, 0);
  });
});

describe('quality', () => {
  test('noise is a warning, comes first, and silences every claim', () => {
    const noise = { aaRatio: 1.08, aaInterval: [1.05, 1.1] as [number, number], noisy: true };
    const all = findings([workload([size(4), size(8)], { noise, recommended: null, asGood: [] })], CONTEXT);
    assert.equal(all[0]?.id, 'bench.noisy');
    assert.ok(!all.some(({ id }) => ['bench.faster', 'bench.no-gain', 'bench.unclear'].includes(id)));
  });

  test('unclear says what lies in the interval and what would settle it', () => {
    const unclear = size(8, { interval: [0.93, 1.06], verdict: 'unclear' });
    assert.equal(
      textOf([workload([size(4), unclear], { settled: false })], 'bench.unclear'),
      'crypto: 8 compared with 4 is unclear: its time changes by between −7.0 % and +6.0 %; measure for longer (--time)',
    );
    assert.deepEqual(found([workload([size(4), unclear])], 'bench.unclear'), [], 'nothing more to tell');
  });

  test('few generations: one line for all workloads', () => {
    const few = workload([size(4), size(8)], { method: method(3), recommended: null });
    const said = found([few, { ...few, name: 'zlib' }], 'bench.estimates-only');
    assert.equal(said.length, 1);
    assert.match(
      said[0]?.text ?? '',
      /^crypto and zlib: these are estimates, not verdicts: .* 4 generations/,
    );
  });

  test('one size alone: nothing is compared, so no difference is missed either', () => {
    const alone = workload([size(4, { interval: [1, 1] })], { method: method(3), recommended: null });
    assert.deepEqual(found([alone], 'bench.estimates-only'), []);
    assert.match(because(alone, 4), /^the only size measured \(100 ms\)/);
  });

  test('a size that dropped out is a warning; its words cannot steer the terminal', () => {
    const lost = [{ size: 8, code: 'PLIMSOLL_WORKLOAD_EXITED', message: 'died\u001b[2J' }];
    const findings = found([workload([size(4)], { lost })], 'bench.lost-size');
    assert.equal(findings[0]?.severity, 'warning');
    const text = sectionsText([{ blocks: [{ kind: 'findings', findings }] }], plainStyle());
    assert.equal(text, '  ! crypto: size 8 was dropped: died\\x1b[2J (bench.lost-size)');
  });

  test('a disturbed machine', () => {
    const disturbances = [{ generation: 2, what: ['steal'] }];
    assert.match(
      textOf([workload([size(4)], { disturbances })], 'bench.disturbed') ?? '',
      /disturbances hit 1 of 8 generations \(steal\), and all sizes alike/,
    );
  });
});

describe('across workloads', () => {
  test('one size for all: the smallest that is as good everywhere', () => {
    const all = [workload([], { asGood: [4, 8] }), workload([], { name: 'dns', asGood: [8, 12] })];
    assert.match(textOf(all, 'bench.one-size-for-all') ?? '', /^8 is the smallest size .* crypto and dns$/);
  });
  test('no size for all', () => {
    const all = [workload([], { asGood: [4] }), workload([], { name: 'dns', asGood: [8] })];
    assert.match(
      textOf(all, 'bench.no-size-for-all') ?? '',
      /choose the best size for the work that matters most/,
    );
  });
  test('files in memory, lookups without a network', () => {
    const context = {
      ...CONTEXT,
      filesystem: { type: 'tmpfs', isMemory: true },
      resolver: {
        mode: 'hosts' as const,
        delayMs: null,
        description: 'localhost only',
        because: 'namespaces need Linux',
      },
    };
    assert.ok(textOf([workload([], { name: 'file' })], 'bench.files-in-memory', context));
    assert.ok(textOf([workload([], { name: 'dns' })], 'bench.lookups-without-network', context));
  });
});

test('docs/reference/findings.md explains every id, and no other', () => {
  const folder = new URL('../../src/report/findings/', import.meta.url);
  const ids = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/'(bench\.[a-z-]+)'/g)].map(([, id]) => id),
  );
  const page = readFileSync(new URL('../../../../docs/reference/findings.md', import.meta.url), 'utf8');
  const explained = [...page.matchAll(/^## (bench\.[a-z-]+)$/gm)].map(([, id]) => id);
  assert.deepEqual(new Set(explained), new Set(ids));
});
