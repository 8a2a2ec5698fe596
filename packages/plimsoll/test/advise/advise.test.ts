import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AdviseOptions, advise as predict } from '#plimsoll/advise/advise.js';
import { type Grounds, recommend } from '#plimsoll/advise/recommend.js';
import { verification } from '#plimsoll/advise/verify.js';
import { NO_CHANGE } from '#plimsoll/advise/what-if.js';
import { adviceReport } from '#plimsoll/report/advise.js';
import { adviceOf, recommendedSize, whatIfLines } from '#plimsoll/report/findings/advise.js';
import { plainStyle } from '#plimsoll/report/style.js';
import {
  type Advice,
  adviceSchema,
  type PredictedMeasures,
  type Prediction,
} from '#plimsoll/results/advice.js';
import type { Trace } from '#plimsoll/results/trace.js';
import { traceOf } from '../support/trace.js';
import { AMPLE, type SimpleJob } from '../support/workload.js';

const advise = (...given: Parameters<typeof predict>): Advice => adviceOf(predict(...given));
const because = (given: Grounds): string => recommendedSize(recommend(given)).because;

const SIZES = [1, 2, 4, 8, 16, 64];
const options: AdviseOptions = { sizes: SIZES, objective: 'mean', whatIf: NO_CHANGE, seed: 1 };
const machine = { ...AMPLE, cores: 2 };
const many = (count: number, job: (index: number) => SimpleJob): SimpleJob[] =>
  Array.from({ length: count }, (_, index) => job(index));
const traced = (jobs: readonly SimpleJob[], kind: string, size = 4): Trace =>
  traceOf(
    jobs,
    jobs.map(({ slow = false }) => (slow ? 'dns.lookup' : kind)),
    size,
    machine,
  );
const at = ({ predictions }: Advice, size: number): Prediction =>
  predictions.find((prediction) => prediction.size === size) as Prediction;

const blocked = traced(
  many(160, (index) => ({ at: index * 2, blocked: 20 })),
  'addon',
);
const computing = traced(
  many(160, () => ({ cpu: 8 })),
  'crypto',
);

describe('advice', () => {
  test('work that only blocks wants as many threads as are blocked at a time, not more', () => {
    const advice = adviceSchema.parse(advise(blocked, options));
    // 10 jobs are under way at any time: 8 threads fall behind, 16 do not.
    assert.equal(advice.recommended.size, 16, advice.recommended.because);
    assert.ok(at(advice, 8).latencyMs.mean > 1.5 * at(advice, 16).latencyMs.mean);
    assert.ok(Math.abs(at(advice, 16).latencyMs.mean / 20 - 1) < 0.05, `${at(advice, 16).latencyMs.mean}`);
    assert.ok(advice.findings.some(({ id }) => id === 'advise.blocked-outside'));
  });

  test('work that only computes wants no more threads than cores, and hears that cores are what it lacks', () => {
    const advice = advise(computing, options);
    assert.equal(advice.recommended.size, 2, advice.recommended.because);
    assert.ok(advice.findings.some(({ id }) => id === 'advise.cores-saturated'));
    assert.ok(at(advice, 64).eventLoopDelayMs.p99 > at(advice, 2).eventLoopDelayMs.p99);
  });

  test('the run that was recorded is predicted at its own size, and lies within its band', () => {
    for (const trace of [blocked, computing]) {
      const [own] = verification(advise(trace, options).predictions, [{ size: 4, trace }]);
      assert.ok(
        own !== undefined && Math.abs(own.relativeError.latencyMs.mean) < 0.1,
        JSON.stringify(own?.relativeError),
      );
      assert.deepEqual(own.inBand, { mean: true, p99: true, makespan: true });
    }
  });

  test('the same seed gives the same advice', () => {
    const of = (seed: number) => advise(computing, { ...options, sizes: [4, 8], seed }).predictions;
    assert.deepEqual(of(3), of(3));
  });

  test('a trace without jobs: the size cannot matter', () => {
    const empty = { ...blocked, processes: [], durationMs: 30_000 };
    assert.throws(() => advise(empty, options), { code: 'PLIMSOLL_NO_POOL_JOBS', message: /in the 30 s/ });
  });
});

describe('what if', () => {
  const whatIf = (changes: Partial<typeof NO_CHANGE>) =>
    advise(computing, { ...options, whatIf: { ...NO_CHANGE, ...changes } });

  test('twice the cores: half of the time, from as many threads on', () => {
    const [now, then] = [advise(computing, options), whatIf({ cores: 4 })];
    const ratio = at(then, 4).makespanMs / at(now, 4).makespanMs;
    assert.ok(ratio > 0.45 && ratio < 0.6, `${ratio}`);
    assert.deepEqual(whatIfLines(then.method.whatIf), ['4 cores']);
  });

  test('a quota of one core: twice the time', () => {
    const ratio = at(whatIf({ quota: 1 }), 4).makespanMs / at(advise(computing, options), 4).makespanMs;
    assert.ok(ratio > 1.7 && ratio < 2.3, `${ratio}`);
  });

  test('twice as fast: half of the time', () => {
    const ratio =
      at(whatIf({ faster: [{ kind: 'crypto', factor: 2 }] }), 4).makespanMs /
      at(advise(computing, options), 4).makespanMs;
    // Slices are as long as before: what is left at the end weighs more.
    assert.ok(ratio > 0.42 && ratio < 0.62, `${ratio}`);
  });

  test('a kind that is not there is named, with those that are', () => {
    assert.throws(() => whatIf({ without: ['zlib'] }), {
      code: 'PLIMSOLL_USAGE',
      message: /"zlib"; recorded were crypto/,
    });
    assert.throws(() => whatIf({ without: ['crypto'] }), {
      code: 'PLIMSOLL_USAGE',
      message: /no job is left/,
    });
  });

  test('two processes have twice the threads', () => {
    const two = advise(blocked, { ...options, whatIf: { ...NO_CHANGE, instances: 2 } });
    assert.equal(two.recommended.size, 8, two.recommended.because);
  });
});

describe('rules', () => {
  const measures = (mean: number, makespanMs = 1000): PredictedMeasures => ({
    queueWaitMs: { mean: 0, p99: 0 },
    latencyMs: { mean, p50: mean, p95: mean, p99: mean },
    makespanMs,
    jobsPerSecond: 1,
    utilization: 0.5,
    eventLoopDelayMs: { p99: 0 },
    memoryBytes: 8192,
    requests: null,
    operations: [],
  });
  const measuresOf = (mean: number, p99: number, loop: number): PredictedMeasures => ({
    ...measures(1),
    eventLoopDelayMs: { p99: loop },
    requests: {
      latencyMs: { mean, p50: mean, p95: p99, p99 },
      perSecond: 20_000 / mean,
      isOverloaded: false,
      routes: [],
    },
  });
  const prediction = (
    size: number,
    mean: number,
    pessimistic: PredictedMeasures | null = null,
  ): Prediction => ({
    size,
    ...measures(mean),
    low: measures(mean),
    high: measures(mean),
    pessimistic,
  });
  const grounds = (predictions: Prediction[], changes: Partial<Grounds> = {}): Grounds => ({
    predictions,
    resamples: Array.from({ length: 10 }, () => predictions),
    objective: 'mean',
    jobs: 1000,
    outsideShare: 0,
    usesDns: false,
    instances: 1,
    pidsHeadroom: null,
    memoryLimitBytes: null,
    recordedThreads: 4,
    ...changes,
  });
  const sizes = (means: Record<number, number>): Prediction[] =>
    Object.entries(means).map(([size, mean]) => prediction(Number(size), mean));

  test('the smallest within 5 % of the best', () => {
    assert.equal(recommend(grounds(sizes({ 2: 20, 4: 12, 8: 10.4, 16: 10 }))).size, 8);
  });

  test('no larger size for a gain that the tail or the event loop pays for: the trial of express with bcrypt', () => {
    const trial: Record<number, readonly [mean: number, p99: number, loop: number]> = {
      1: [287, 420, 6],
      2: [157, 190, 9],
      4: [156, 194, 9.6],
      16: [149, 234, 34],
      64: [148, 260, 60],
    };
    const all = Object.entries(trial).map(([size, [mean, p99, loop]]): Prediction => {
      const one = measuresOf(mean, p99, loop);
      return { size: Number(size), ...one, low: one, high: one, pessimistic: null };
    });
    for (const objective of ['mean', 'p99', 'throughput'] as const) {
      const { size } = recommend(grounds(all, { objective }));
      assert.ok(size === 2 || size === 4, `${size} by ${objective}`);
    }
    assert.match(because(grounds(all)), /others would pay for .* at 64: p99 260 ms instead of 190 ms/);
  });

  test('a large gain is worth a later event loop, and a larger tail only what it is larger by', () => {
    const pick = (small: [number, number, number], large: [number, number, number]): number => {
      const all = [small, large].map(([mean, p99, loop], index): Prediction => {
        const one = measuresOf(mean, p99, loop);
        return { size: index === 0 ? 4 : 16, ...one, low: one, high: one, pessimistic: null };
      });
      return recommend(grounds(all)).size;
    };
    assert.equal(pick([100, 200, 10], [50, 100, 40]), 16);
    assert.equal(pick([100, 200, 10], [85, 170, 40]), 4);
    assert.equal(pick([100, 200, 10], [85, 170, 20]), 16);
    assert.equal(pick([100, 200, 10], [85, 230, 10]), 4);
    assert.equal(pick([100, 200, 10], [40, 230, 10]), 16);
  });

  test('a size that cannot serve what comes is refused', () => {
    const all = [4, 16].map((size): Prediction => {
      const one = { ...measuresOf(size, size, 0) };
      const requests = one.requests === null ? null : { ...one.requests, isOverloaded: size === 4 };
      return { size, ...one, requests, low: one, high: one, pessimistic: null };
    });
    assert.equal(recommend(grounds(all)).size, 16);
  });

  test('where no size can serve what comes, the one that serves most, and no latency', () => {
    const all = [4, 16].map((size): Prediction => {
      const one = measuresOf(100, 300, 0);
      const requests =
        one.requests === null ? null : { ...one.requests, isOverloaded: true, perSecond: 10 * size };
      const measured = { ...one, requests };
      return { size, ...measured, low: measured, high: measured, pessimistic: null };
    });
    assert.equal(recommend(grounds(all)).size, 16);
    assert.match(because(grounds(all)), /^160 requests a second/);
    assert.doesNotMatch(because(grounds(all)), /latency/);
  });

  test('one thread is not enough where names are looked up', () => {
    const all = sizes({ 1: 10, 2: 10, 4: 10 });
    assert.equal(recommend(grounds(all)).size, 1);
    assert.equal(recommend(grounds(all, { usesDns: true })).size, 2);
  });

  test('never worse than the default at worst', () => {
    const all = [prediction(4, 20, measures(20)), prediction(16, 10, measures(10, 1100))];
    assert.equal(recommend(grounds(all)).size, 4);
    assert.match(because(grounds(all)), /16 refused: at worst it is slower than 4/);
  });

  test('threads that the limit of processes does not allow are not recommended', () => {
    const all = sizes({ 4: 20, 64: 10 });
    assert.equal(recommend(grounds(all)).size, 64);
    assert.equal(recommend(grounds(all, { pidsHeadroom: 30 })).size, 4);
    assert.equal(recommend(grounds(all, { pidsHeadroom: 70 })).size, 64);
    assert.equal(recommend(grounds(all, { pidsHeadroom: 70, instances: 2 })).size, 4);
  });

  test('what does not hold in the resampled runs is no evidence: keep 4', () => {
    const all = sizes({ 4: 12, 8: 10 });
    const resamples = Array.from({ length: 10 }, (_, run) => (run < 5 ? all : [measures(10), measures(13)]));
    const given = grounds(all, { resamples });
    const { size, confidence } = recommend(given);
    assert.equal(size, 4);
    assert.match(because(given), /evidence is too weak: 8 .* 50 %/);
    assert.equal(confidence, 'low');
  });

  test('a handful of jobs is no evidence', () => {
    const few = grounds(sizes({ 4: 12, 8: 1 }), { jobs: 3 });
    assert.match(because(few), /only 3 jobs were recorded/);
  });

  test('a recording that others disturbed is no evidence, or less', () => {
    const all = sizes({ 4: 12, 8: 1 });
    assert.equal(recommend(grounds(all)).confidence, 'high');
    assert.equal(recommend(grounds(all, { outsideShare: 0.2 })).confidence, 'medium');
    const given = grounds(all, { outsideShare: 0.9 });
    assert.equal(recommend(given).size, 4);
    assert.match(because(given), /others used about 90 % of the cores/);
  });

  test('a gain that needs more from outside than was ever seen is not called certain', () => {
    const all = [prediction(4, 20, measures(20)), prediction(16, 10, measures(20))];
    assert.equal(recommend(grounds(all)).confidence, 'medium');
  });
});

describe('report', () => {
  const advice = advise({ ...blocked, command: ['node', 'a\u001b[31m.js'] }, options);
  const verified = {
    ...advice,
    verification: verification(advice.predictions, [{ size: 4, trace: blocked }]),
  };
  test('at every width a measured figure stands beside its error', () => {
    for (let width = 50; width <= 140; width++) {
      const header = /^ +size +latency +measured.*$/m.exec(adviceReport(verified, plainStyle(width)))?.[0];
      assert.equal(header?.match(/measured/g)?.length, header?.match(/error/g)?.length, header);
      assert.ok((header ?? '').length <= width, `${width}: ${header}`);
    }
  });

  for (const width of [80, 140])
    test(`${width} columns, nothing wider, no control characters`, () => {
      const text = adviceReport(verified, plainStyle(width));
      for (const line of text.split('\n')) assert.ok([...line].length <= width, line);
      assert.doesNotMatch(text, /\p{Cc}(?<!\n)/u);
      assert.match(text, /UV_THREADPOOL_SIZE=16/);
      assert.match(text, /Predicted and measured \(1 run each/);
      assert.match(text, /→ +16 /);
    });
});
