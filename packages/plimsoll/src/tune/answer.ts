import { mean, meanOfKnown, sum } from '../collections/sum.js';
import type { Environment } from '../host/environment.js';
import type { TunedSize, TuneResult, TuneRound } from '../results/tune.js';
import { boundsOf, EQUAL_WITHIN, LEVEL, type RatioInterval } from '../stats/intervals.js';
import { median } from '../stats/quantile.js';
import {
  answered,
  type BlockValues,
  bothTurns,
  costsOf,
  countOf,
  differences,
  isCutShort,
  latencyP99,
  logCosts,
  meanLatency,
} from './costs.js';
import { type Judgement, judge, type SizeRanking } from './judge.js';
import { routesOf } from './routes.js';
import {
  type CommandRun,
  isWindow,
  type JudgePlan,
  type Objective,
  type Sample,
  type Window,
} from './sample.js';

export type TuneNote =
  /** The app sets UV_THREADPOOL_SIZE itself: it was started with `limit` threads, and larger sizes are out of reach. */
  | { readonly id: 'tune.app-sets-size'; readonly limit: number; readonly wanted: number }
  | {
      readonly id: 'tune.sizes-left-out';
      readonly sizes: readonly number[];
      readonly because: 'pids' | 'limit';
      readonly limit: number;
    }
  | { readonly id: 'tune.traffic-restarted'; readonly times: number }
  | { readonly id: 'tune.traffic-limited'; readonly detail: string }
  | { readonly id: 'tune.needs-minutes'; readonly minutes: number };

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

export interface Outcome extends Pick<TuneFacts['method'], 'processes' | 'resizing' | 'stop'> {
  readonly samples: readonly Sample[];
  readonly plan: JudgePlan;
  readonly notes: readonly TuneNote[];
}

export interface MeasuredTune extends Omit<TuneResult, 'headline' | 'findings'> {
  readonly notes: readonly TuneNote[];
}

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
      interval: boundsOf(judgement.twin),
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
  const routes = sizes.find(({ size }) => size === leading)?.routes ?? [];
  const isAnySlower = routes.some(({ slower }) => slower !== 'no');
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
  readonly means: BlockValues;
}

function sizeOf(size: number, { samples, plan, judgement, unit, means }: Material): TunedSize {
  const { sizes } = judgement;
  const { state, ratio, verdict, odds, blocks, higherLoopDelay, higherP99 } = sizes.get(size) as SizeRanking;
  const compared = samples.filter((sample) => !sample.disturbed);
  const windows = compared.filter(isWindow);
  // The twin is the baseline, and its requests are as good.
  const own = compared.filter((sample) => sample.size === size);
  const states = [state, sizes.get(plan.baseline)?.state];
  const isComparable = !states.includes('overloaded') && !states.includes('failing');
  return {
    size,
    ratio: isComparable ? ratiosOf(size, compared, plan) : { mean: null, p99: null, throughput: null },
    interval: ratio === null || size === plan.baseline ? null : boundsBy(plan.objective, ratio),
    verdict,
    chanceSlower: odds?.chanceSlower ?? null,
    ...(unit === 'run'
      ? runFigures(own as CommandRun[])
      : windowFigures(own.filter(isWindow), windows, means, state === 'overloaded')),
    blocks,
    routes: isComparable ? routesOf(size, plan.baseline, windows) : [],
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
    return own.length === 0 ? null : Math.exp(mean(own));
  };
  const perRequest = ratio('throughput');
  return {
    mean: ratio('mean'),
    p99: compared.some(isWindow) ? ratio('p99') : null,
    throughput: perRequest === null ? null : 1 / perRequest,
  };
}

/** More requests per second is a lower cost. */
const boundsBy = (objective: Objective, { low, high }: RatioInterval): [number, number] | null =>
  boundsOf(objective === 'throughput' ? { low: 1 / high, high: 1 / low } : { low, high });

type Times = 'meanMs' | 'p99Ms' | 'perSecond' | 'loopDelayMs' | 'queueWaitMs';
type Figures = Pick<TunedSize, Times | 'cpu' | 'busyThreads' | 'requests' | 'failed'>;

function windowFigures(
  own: readonly Window[],
  all: readonly Window[],
  means: BlockValues,
  isOverloaded: boolean,
): Figures {
  const total = (pick: (window: Window) => number): number => sum(own.map(pick));
  const meanOf = (pick: (window: Window) => number | null): number | null => meanOfKnown(own.map(pick));
  const meanOfBlocks = meanOf(({ arm, block }) => means.get(arm)?.get(block) ?? null);
  return {
    meanMs: isOverloaded ? null : own.some(isCutShort) ? meanOfBlocks : meanLatency(own, all),
    p99Ms: isOverloaded ? null : latencyP99(own, all),
    perSecond: own.length === 0 ? 0 : total(answered) / total(({ seconds }) => seconds),
    loopDelayMs: own.length === 0 ? null : { p99: median(own.map(({ loopDelayMs }) => loopDelayMs.p99)) },
    queueWaitMs: {
      fast: meanOf(({ queueWaitMs }) => queueWaitMs.fast),
      slow: meanOf(({ queueWaitMs }) => queueWaitMs.slow),
    },
    cpu: {
      cores: meanOf(({ cpuCores }) => cpuCores),
      machineCores: meanOf(({ machineBusyCores }) => machineBusyCores),
    },
    busyThreads: meanOf(({ busyThreads }) => busyThreads),
    requests: total(countOf),
    failed: total(({ failed }) => failed),
  };
}

function runFigures(own: readonly CommandRun[]): Figures {
  const meanMs = meanOfKnown(own.map(({ wallMs }) => wallMs));
  return {
    meanMs,
    p99Ms: null,
    perSecond: meanMs === null ? 0 : 1000 / meanMs,
    loopDelayMs: null,
    queueWaitMs: { fast: null, slow: null },
    cpu: {
      cores: meanOfKnown(
        own.map(({ cpuSeconds, wallMs }) => (cpuSeconds === null ? null : (1000 * cpuSeconds) / wallMs)),
      ),
      machineCores: null,
    },
    busyThreads: null,
    requests: own.length,
    failed: 0,
  };
}

function roundOf(sample: Sample, means: BlockValues): TuneRound {
  const { block, order, arm, disturbed } = sample;
  const place = { block, order, twin: arm === 'twin', disturbed };
  if (!isWindow(sample)) {
    const { wallMs } = sample;
    return { ...place, seconds: wallMs / 1000, requests: 1, meanMs: wallMs, perSecond: 1000 / wallMs };
  }
  const { seconds, completed } = sample;
  const meanMs = disturbed ? null : (means.get(arm)?.get(block) ?? null);
  const perSecond = seconds === 0 ? 0 : answered(sample) / seconds;
  return { ...place, seconds, requests: completed, meanMs, perSecond };
}

/** Latencies differ by more than this where requests per second do not: then their rate is not the size's doing. */
const LATENCY_DIFFERS = 0.1;

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
