import type { Environment } from '../host/environment.js';
import type { TunedSize, TuneResult, TuneRound } from '../results/tune.js';
import { EQUAL_WITHIN, LEVEL, type RatioInterval } from '../stats/intervals.js';
import { median } from '../stats/quantile.js';
import {
  answered,
  costsOf,
  isCutShort,
  isWindow,
  LEAST_FOR_P99,
  latencyQuantile,
  meanLatency,
  totalsOf,
} from './costs.js';
import { type Judgement, judge, type SizeRanking } from './judge.js';
import { bothTurns, differences, logCosts } from './logs.js';
import type { CommandRun, JudgePlan, Objective, Sample } from './plan.js';
import { routesOf } from './routes.js';
import type { Arm, Window } from './window.js';

/** Something that happened meanwhile, with its numbers; `report/` says it in a sentence. */
export type TuneNote =
  /** The app sets UV_THREADPOOL_SIZE itself: it was started with `limit` threads, and larger sizes are out of reach. */
  | { readonly id: 'tune.app-sets-size'; readonly limit: number; readonly wanted: number }
  /** Sizes that were left out, and why. */
  | {
      readonly id: 'tune.sizes-left-out';
      readonly sizes: readonly number[];
      readonly because: 'memory' | 'pids' | 'limit';
      readonly limit: number;
    }
  /** The command of --on-port ended before the answer was known, and was started anew. */
  | { readonly id: 'tune.traffic-restarted'; readonly times: number }
  /** The client itself was too busy or too late. */
  | { readonly id: 'tune.traffic-limited'; readonly detail: string }
  /** One run is so long that the answer would take this many minutes. */
  | { readonly id: 'tune.needs-minutes'; readonly minutes: number }
  /** The old size was put back before the time was up, because something went wrong at `size`. */
  | {
      readonly id: 'tune.put-back';
      readonly size: number;
      readonly because: 'failures' | 'overload' | 'p99' | 'delay';
    };

/** What was done, told by whoever did it. */
export interface TuneFacts {
  readonly environment: Environment;
  readonly command: readonly string[] | null;
  readonly pid: number | null;
  readonly method: Pick<
    TuneResult['method'],
    'mode' | 'timeMs' | 'traffic' | 'resizing' | 'processes' | 'startedAt' | 'seconds' | 'stop'
  >;
  readonly notes: readonly TuneNote[];
}

/** What was measured; the sentences about it are composed above. */
export interface MeasuredTune extends Omit<TuneResult, 'headline' | 'findings'> {
  readonly notes: readonly TuneNote[];
}

/** Everything that the samples say, by the rules of `judge`. Pure. */
export function answer(samples: readonly Sample[], plan: JudgePlan, facts: TuneFacts): MeasuredTune {
  const judgement = judge(samples, plan);
  const windows = samples.filter(isWindow);
  const unit = windows.length < samples.length || facts.method.mode === 'runs' ? 'run' : 'request';
  const means = costsOf(samples, 'mean').of;
  const sizes = plan.sizes
    .filter((size) => samples.some((sample) => sample.size === size))
    .map((size) => sizeOf(size, { samples, plan, judgement, unit, means }));
  return {
    schema: 'plimsoll/1',
    kind: 'tune',
    environment: facts.environment,
    command: facts.command === null ? null : [...facts.command],
    pid: facts.pid,
    ...conclusion(sizes, judgement, plan),
    baseline: plan.baseline,
    objective: plan.objective,
    sizes,
    twin: judgement.twin && {
      ratio: judgement.twin.ratio,
      interval: bounds(judgement.twin),
      noisy: judgement.noisy,
      blocks: judgement.twin.blocks,
    },
    method: {
      ...facts.method,
      unit,
      sizes: [...plan.sizes],
      seed: plan.seed,
      level: LEVEL,
      blocks: new Set(samples.map(({ block }) => block)).size,
      windows: samples.length,
      openStream: isOpenStream(sizes),
    },
    notes: facts.notes,
  };
}

/** A size is named only where the samples carry it; a route that gets slower there leaves nobody sure. */
function conclusion(
  sizes: readonly TunedSize[],
  { leading, confidence, noDifference, idle, noisy }: Judgement,
  { baseline }: JudgePlan,
): Pick<TuneResult, 'recommended' | 'confidence' | 'answer'> {
  if (idle && !noisy) return { recommended: baseline, confidence: 'sure', answer: 'no pool use' };
  if (leading === null) return { recommended: null, confidence: 'cannot tell', answer: 'cannot tell' };
  const isAnySlower = sizes
    .find(({ size }) => size === leading)
    ?.routes.some(({ slower }) => slower !== 'no');
  return {
    recommended: leading,
    confidence: isAnySlower ? 'likely' : confidence,
    answer: noDifference ? 'no difference' : leading === baseline ? 'keep' : 'change',
  };
}

interface Material {
  readonly samples: readonly Sample[];
  readonly plan: JudgePlan;
  readonly judgement: Judgement;
  readonly unit: TuneResult['method']['unit'];
  /** Mean latency of each window. */
  readonly means: ReadonlyMap<Arm, ReadonlyMap<number, number>>;
}

function sizeOf(size: number, { samples, plan, judgement, unit, means }: Material): TunedSize {
  const { sizes } = judgement;
  const { state, ratio, verdict, odds, blocks, higherLoopDelay, higherP99 } = sizes.get(size) as SizeRanking;
  const compared = samples.filter((sample) => !sample.disturbed);
  // The twin is the baseline, and its requests are as good.
  const own = compared.filter((sample) => sample.size === size);
  const isComparable = ![size, plan.baseline].some((one) =>
    ['overloaded', 'failing'].includes(sizes.get(one)?.state ?? ''),
  );
  return {
    size,
    ratio: isComparable ? ratiosOf(size, compared, plan) : { mean: null, p99: null, throughput: null },
    interval: ratio === null || size === plan.baseline ? null : boundsBy(plan.objective, ratio),
    verdict,
    probabilityOfBest: odds?.probabilityOfBest ?? null,
    expectedLoss: odds === null ? null : Math.max(0, odds.expectedLoss),
    chanceSlower: odds?.chanceSlower ?? null,
    ...(unit === 'run'
      ? runFigures(own as CommandRun[])
      : windowFigures(own.filter(isWindow), compared.filter(isWindow), {
          isOverloaded: state === 'overloaded',
          means,
        })),
    blocks,
    routes: isComparable ? routesIn(size, compared.filter(isWindow), plan) : [],
    overloaded: state === 'overloaded',
    failing: state === 'failing',
    leftEarly: state === 'left',
    higherLoopDelay,
    higherP99,
    rounds: samples.filter((sample) => sample.size === size).map((sample) => roundOf(sample, means)),
  };
}

function ratiosOf(size: number, compared: readonly Sample[], { baseline }: JudgePlan): TunedSize['ratio'] {
  if (size === baseline) return { mean: 1, p99: 1, throughput: 1 };
  const ratio = (objective: Objective): number | null => {
    const { logs } = logCosts(compared, objective);
    const own = differences(logs, size, bothTurns(logs, baseline));
    return own.length === 0 ? null : Math.exp(meanOf(own));
  };
  const [perRequest, isOfRuns] = [ratio('throughput'), !compared.some(isWindow)];
  return {
    mean: ratio('mean'),
    p99: isOfRuns ? null : ratio('p99'),
    throughput: perRequest === null ? null : 1 / perRequest,
  };
}

/** Before the first look there is no interval. */
const bounds = ({ low, high }: RatioInterval): [number, number] | null =>
  Number.isFinite(high) && low > 0 ? [low, high] : null;

/** More requests per second is a lower cost. */
const boundsBy = (objective: Objective, { ratio, low, high }: RatioInterval): [number, number] | null =>
  bounds(
    objective === 'throughput' ? { ratio: 1 / ratio, low: 1 / high, high: 1 / low } : { ratio, low, high },
  );

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of what is known. */
const meanOrNull = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : meanOf(known);
};

type Figures = Pick<
  TunedSize,
  | 'meanMs'
  | 'p50Ms'
  | 'p99Ms'
  | 'perSecond'
  | 'loopDelayMs'
  | 'queueWaitMs'
  | 'cpu'
  | 'busyThreads'
  | 'requests'
  | 'failed'
>;

function windowFigures(
  own: readonly Window[],
  all: readonly Window[],
  { isOverloaded, means }: Pick<Material, 'means'> & { readonly isOverloaded: boolean },
): Figures {
  const total = (pick: (window: Window) => number): number =>
    own.reduce((sum, window) => sum + pick(window), 0);
  const middle = (pick: (window: Window) => number): number => median(own.map(pick));
  const latency = (q: number, least: number): number | null =>
    isOverloaded ? null : latencyQuantile(own, all, q, least);
  const meanOfBlocks = meanOrNull(own.map(({ arm, block }) => means.get(arm)?.get(block) ?? null));
  return {
    meanMs: isOverloaded ? null : own.some(isCutShort) ? meanOfBlocks : meanLatency(own, all),
    p50Ms: latency(0.5, 1),
    p99Ms: latency(0.99, LEAST_FOR_P99),
    perSecond: own.length === 0 ? 0 : total(answered) / total(({ seconds }) => seconds),
    loopDelayMs:
      own.length === 0
        ? null
        : {
            p50: middle(({ loopDelayMs }) => loopDelayMs.p50),
            p99: middle(({ loopDelayMs }) => loopDelayMs.p99),
            max: middle(({ loopDelayMs }) => loopDelayMs.max),
          },
    queueWaitMs: {
      fast: meanOrNull(own.map(({ queueWaitMs }) => queueWaitMs.fast)),
      slow: meanOrNull(own.map(({ queueWaitMs }) => queueWaitMs.slow)),
    },
    cpu: {
      cores: meanOrNull(own.map(({ cpuCores }) => cpuCores)),
      machineCores: meanOrNull(own.map(({ machineBusyCores }) => machineBusyCores)),
    },
    busyThreads: meanOrNull(own.map(({ busyThreads }) => busyThreads)),
    requests: total((window) => [...totalsOf(window).values()].reduce((sum, { count }) => sum + count, 0)),
    failed: total(({ failed }) => failed),
  };
}

function runFigures(own: readonly CommandRun[]): Figures {
  const times = own.map(({ wallMs }) => wallMs);
  const mean = meanOrNull(times);
  return {
    meanMs: mean,
    p50Ms: times.length === 0 ? null : median(times),
    p99Ms: null,
    perSecond: mean === null ? 0 : 1000 / mean,
    loopDelayMs: null,
    queueWaitMs: { fast: null, slow: null },
    cpu: {
      cores: meanOrNull(
        own.map(({ cpuSeconds, wallMs }) => (cpuSeconds === null ? null : (1000 * cpuSeconds) / wallMs)),
      ),
      machineCores: null,
    },
    busyThreads: null,
    requests: own.length,
    failed: 0,
  };
}

function routesIn(size: number, compared: readonly Window[], { baseline }: JudgePlan): TunedSize['routes'] {
  const whole = compared.filter((window) => !isCutShort(window));
  const of = (one: number): Window[] => whole.filter((window) => window.size === one);
  return routesOf(of(size), of(baseline), whole);
}

function roundOf(sample: Sample, means: ReadonlyMap<Arm, ReadonlyMap<number, number>>): TuneRound {
  const { block, order, arm, disturbed } = sample;
  const place = { block, order, twin: arm === 'twin', disturbed };
  if (!isWindow(sample)) {
    const { wallMs } = sample;
    return { ...place, seconds: wallMs / 1000, requests: 1, meanMs: wallMs, perSecond: 1000 / wallMs };
  }
  return {
    ...place,
    seconds: sample.seconds,
    requests: sample.completed,
    meanMs: disturbed ? null : (means.get(arm)?.get(block) ?? null),
    perSecond: sample.seconds === 0 ? 0 : answered(sample) / sample.seconds,
  };
}

/** Latencies differ by more than this where requests per second do not: then their rate is not the size's doing. */
const LATENCY_DIFFERS = 0.1;

/** As many requests come whatever the size, and latencies differ all the same. */
function isOpenStream(sizes: readonly TunedSize[]): boolean {
  const known = sizes.flatMap(({ ratio: { mean, throughput } }) =>
    mean === null || throughput === null
      ? []
      : [{ mean: Math.abs(Math.log(mean)), rate: Math.abs(Math.log(throughput)) }],
  );
  return (
    known.every(({ rate }) => rate <= Math.log1p(EQUAL_WITHIN)) &&
    (known.some(({ mean }) => mean > Math.log1p(LATENCY_DIFFERS)) ||
      sizes.some(({ overloaded }) => overloaded))
  );
}
