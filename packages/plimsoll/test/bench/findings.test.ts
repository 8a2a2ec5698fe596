import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { because } from '#plimsoll/report/bench.js';
import { findings } from '#plimsoll/report/findings/bench.js';
import { plainStyle } from '#plimsoll/report/style.js';
import { sectionsText } from '#plimsoll/report/terminal.js';
import type { RoundResult, SizeResult, WorkloadResult } from '#plimsoll/results/bench.js';
import { bench, environment } from './planted.js';

const CONTEXT = bench([], {
  environment: {
    ...environment,
    cpu: { ...environment.cpu, effectiveCpus: 2 },
    filesystem: { type: 'ext4', isMemory: false },
  },
});

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
  recommended: 4,
  asGood: [4],
  higherEventLoopDelay: [],
  settled: true,
  failure: null,
  ...given,
});

type Context = Parameters<typeof findings>[1];
const found = (workloads: WorkloadResult[], id: string, context: Context = CONTEXT) =>
  findings(workloads, context).filter((finding) => finding.id === id);
const textOf = (workloads: WorkloadResult[], id: string, context?: Context): string | undefined =>
  found(workloads, id, context)[0]?.text;

const eightIsFaster = size(8, { ratio: 0.79, interval: [0.75, 0.83], verdict: 'better' });

describe('speed', () => {
  test('the largest measured size is the best: measure larger ones', () => {
    const text = textOf([workload([size(4), eightIsFaster], { recommended: 8 })], 'bench.try-larger');
    assert.match(text ?? '', /^crypto: 8 is the largest .*--sizes 8,16,32/);
    const more = workload([size(4), eightIsFaster, size(12)], { recommended: 8 });
    assert.equal(found([more], 'bench.try-larger').length, 0);
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
    assert.ok(!all.some(({ id }) => id === 'bench.try-larger'));
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

test('files in memory, lookups without a network', () => {
  const dns = { mode: 'hosts', delayMs: null, description: 'localhost only', because: 'not Linux' } as const;
  const context = {
    environment: { ...environment, filesystem: { type: 'tmpfs', isMemory: true } },
    method: { ...CONTEXT.method, dns },
  };
  assert.ok(textOf([workload([], { name: 'file' })], 'bench.files-in-memory', context));
  assert.ok(textOf([workload([], { name: 'dns' })], 'bench.lookups-without-network', context));
});
