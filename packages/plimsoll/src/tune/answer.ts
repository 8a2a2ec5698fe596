import { mean, meanOfKnown, sum } from '../collections/sum.js';
import type { TunedSize, TuneResult } from '../results/tune.js';
import { boundsOf, EQUAL_WITHIN, LEVEL } from '../stats/intervals.js';
import { median } from '../stats/quantile.js';
import { type BlockValues, bothTurns, costsOf, countOf, differences, latencyP99, logCosts } from './costs.js';
import { type Judgement, judge, type SizeRanking } from './judge.js';
import { routesOf } from './routes.js';
import {
  answeredIn,
  comparedWindows,
  isWindow,
  type JudgePlan,
  type Objective,
  type Sample,
  secondsOf,
} from './sample.js';

export type TuneNote =
  /** The pool cannot have more than `limit` threads: the app set UV_THREADPOOL_SIZE itself, or was started with them. */
  | { readonly id: 'tune.app-sets-size'; readonly limit: number; readonly wanted: number }
  /** The pids limit leaves room for `limit` threads. */
  | { readonly id: 'tune.sizes-left-out'; readonly sizes: readonly number[]; readonly limit: number }
  | { readonly id: 'tune.traffic-restarted'; readonly times: number }
  | { readonly id: 'tune.traffic-limited'; readonly detail: string }
  | { readonly id: 'tune.needs-minutes'; readonly minutes: number };

export interface MeasuredTune extends Omit<TuneResult, 'headline' | 'findings'> {
  readonly notes: readonly TuneNote[];
}

/** What the samples do not tell. */
export interface TuneFacts extends Pick<MeasuredTune, 'environment' | 'command' | 'pid' | 'notes'> {
  readonly method: Omit<
    TuneResult['method'],
    'unit' | 'sizes' | 'seed' | 'level' | 'blocks' | 'windows' | 'openStream'
  >;
}

export interface Outcome extends Pick<TuneFacts['method'], 'processes' | 'resizing' | 'stop'> {
  readonly samples: readonly Sample[];
  readonly plan: JudgePlan;
  readonly notes: readonly TuneNote[];
}

export function answer(samples: readonly Sample[], plan: JudgePlan, facts: TuneFacts): MeasuredTune {
  const judgement = judge(samples, plan);
  const { twin, noisy } = judgement;
  const material = { samples, plan, judgement, means: costsOf(samples, 'mean').of };
  const measured = plan.sizes.filter((size) => samples.some((sample) => sample.size === size));
  const sizes = measured.map((size) => sizeOf(size, material));
  return {
    schema: 'plimsoll/1',
    kind: 'tune',
    ...facts,
    ...conclusion(sizes, judgement, plan),
    baseline: plan.baseline,
    objective: plan.objective,
    sizes,
    twin: twin && { ratio: twin.ratio, interval: boundsOf(twin), noisy, blocks: twin.blocks },
    method: {
      ...facts.method,
      unit: facts.method.mode === 'runs' ? 'run' : 'request',
      ...{ sizes: [...plan.sizes], seed: plan.seed, level: LEVEL, windows: samples.length },
      blocks: new Set(samples.map(({ block }) => block)).size,
      openStream: isOpenStream(sizes),
    },
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
  /** Of each arm in each block. */
  readonly means: BlockValues;
}

function sizeOf(size: number, { samples, plan, judgement, means }: Material): TunedSize {
  const { baseline, objective } = plan;
  const ranking = judgement.sizes.get(size) as SizeRanking;
  const { state, ratio, verdict, odds, blocks, higherLoopDelay, higherP99 } = ranking;
  const compared = samples.filter((sample) => !sample.disturbed);
  const windows = comparedWindows(samples);
  // The twin is the baseline, and its requests are as good.
  const own = compared.filter((sample) => sample.size === size);
  const ownWindows = own.filter(isWindow);
  const isOverloaded = state === 'overloaded';
  const states = [state, judgement.sizes.get(baseline)?.state];
  const isComparable = !states.includes('overloaded') && !states.includes('failing');
  const meanOf = ({ arm, block, disturbed }: Sample): number | null =>
    disturbed ? null : (means.get(arm)?.get(block) ?? null);
  const delays = ownWindows.map(({ loopDelayMs }) => loopDelayMs.p99);
  return {
    size,
    ratio: isComparable ? ratiosOf(size, compared, plan) : { mean: null, p99: null, throughput: null },
    interval: ratio && size !== baseline ? inverted(boundsOf(ratio), objective) : null,
    verdict,
    chanceSlower: odds?.chanceSlower ?? null,
    meanMs: isOverloaded ? null : meanOfKnown(own.map(meanOf)),
    p99Ms: isOverloaded ? null : latencyP99(ownWindows, windows),
    perSecond: own.length === 0 ? 0 : sum(own.map(answeredIn)) / sum(own.map(secondsOf)),
    loopDelayMs: delays.length === 0 ? null : { p99: median(delays) },
    queueWaitMs: {
      fast: meanOfKnown(ownWindows.map(({ queueWaitMs }) => queueWaitMs.fast)),
      slow: meanOfKnown(ownWindows.map(({ queueWaitMs }) => queueWaitMs.slow)),
    },
    cpu: {
      cores: meanOfKnown(own.map(coresOf)),
      machineCores: meanOfKnown(ownWindows.map(({ machineBusyCores }) => machineBusyCores)),
    },
    busyThreads: meanOfKnown(ownWindows.map(({ busyThreads }) => busyThreads)),
    requests: sum(own.map((sample) => (isWindow(sample) ? countOf(sample) : 1))),
    failed: sum(ownWindows.map(({ failed }) => failed)),
    blocks,
    routes: isComparable ? routesOf(size, baseline, windows) : [],
    overloaded: isOverloaded,
    failing: state === 'failing',
    leftEarly: state === 'left',
    higherLoopDelay,
    higherP99,
    rounds: samples
      .filter((sample) => sample.size === size)
      .map((sample) => ({
        ...{ block: sample.block, order: sample.order, twin: sample.arm === 'twin' },
        seconds: secondsOf(sample),
        requests: isWindow(sample) ? sample.completed : 1,
        meanMs: meanOf(sample),
        perSecond: secondsOf(sample) === 0 ? 0 : answeredIn(sample) / secondsOf(sample),
        disturbed: sample.disturbed,
      })),
  };
}

const coresOf = (sample: Sample): number | null =>
  isWindow(sample)
    ? sample.cpuCores
    : sample.cpuSeconds === null
      ? null
      : sample.cpuSeconds / secondsOf(sample);

/** More requests per second is a lower cost. */
const inverted = (bounds: [number, number] | null, objective: Objective): [number, number] | null =>
  bounds !== null && objective === 'throughput' ? [1 / bounds[1], 1 / bounds[0]] : bounds;

function ratiosOf(size: number, compared: readonly Sample[], { baseline }: JudgePlan): TunedSize['ratio'] {
  if (size === baseline) return { mean: 1, p99: 1, throughput: 1 };
  const ratio = (objective: Objective): number | null => {
    const { of } = logCosts(compared, objective);
    const own = differences(of, size, bothTurns(of, baseline));
    return own.length === 0 ? null : Math.exp(mean(own));
  };
  const perRequest = ratio('throughput');
  return {
    mean: ratio('mean'),
    p99: compared.some(isWindow) ? ratio('p99') : null,
    throughput: perRequest && 1 / perRequest,
  };
}

/** Latencies differ by more than this where requests per second do not: then their rate is not the size's doing. */
const LATENCY_DIFFERS = 0.1;

function isOpenStream(sizes: readonly TunedSize[]): boolean {
  const differs = (ratio: number | null, by: number): boolean =>
    ratio !== null && Math.abs(Math.log(ratio)) > Math.log1p(by);
  const known = sizes.filter(({ ratio }) => ratio.mean !== null && ratio.throughput !== null);
  return (
    !known.some(({ ratio }) => differs(ratio.throughput, EQUAL_WITHIN)) &&
    (known.some(({ ratio }) => differs(ratio.mean, LATENCY_DIFFERS)) ||
      sizes.some(({ overloaded }) => overloaded))
  );
}
