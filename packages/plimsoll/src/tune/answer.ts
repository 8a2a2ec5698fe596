import { mean, meanOfKnown, sum } from '../collections/sum.js';
import type { TunedSize, TuneResult } from '../results/tune.js';
import { boundsOf } from '../stats/intervals.js';
import { median } from '../stats/quantile.js';
import { bothTurns, type Costs, costsOf, countOf, differences, latencyP99, logCosts } from './costs.js';
import { type Judgement, judge, type SizeRanking } from './judge.js';
import { routesOf } from './routes.js';
import {
  answeredIn,
  isWindow,
  type JudgePlan,
  type Objective,
  type Sample,
  secondsOf,
  type Window,
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
  readonly method: Omit<TuneResult['method'], 'unit' | 'sizes' | 'seed' | 'blocks' | 'windows' | 'disturbed'>;
}

export interface Outcome extends Pick<TuneFacts['method'], 'processes' | 'resizing' | 'stop'> {
  readonly samples: readonly Sample[];
  readonly plan: JudgePlan;
  readonly notes: readonly TuneNote[];
}

export function answer(samples: readonly Sample[], plan: JudgePlan, facts: TuneFacts): MeasuredTune {
  const judgement = judge(samples, plan);
  const { twin, noisy } = judgement;
  const means = costsOf(samples, 'mean').of;
  const measured = plan.sizes.filter((size) => samples.some((one) => one.size === size));
  const sizes = measured.map((size) => sizeOf(size, samples, plan, judgement, means));
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
      ...{ sizes: [...plan.sizes], seed: plan.seed, windows: samples.length },
      blocks: new Set(samples.map(({ block }) => block)).size,
      disturbed: samples.filter(({ disturbed }) => disturbed).length,
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

function sizeOf(
  size: number,
  samples: readonly Sample[],
  plan: JudgePlan,
  judgement: Judgement,
  means: Costs['of'],
): TunedSize {
  const { baseline, objective } = plan;
  const { state, ratio, verdict, odds, blocks } = judgement.sizes.get(size) as SizeRanking;
  const compared = samples.filter(({ disturbed }) => !disturbed);
  // The twin is the baseline, and its requests are as good.
  const ofSize = compared.filter((sample) => sample.size === size);
  const windows = ofSize.filter(isWindow);
  const meanOf = (pick: (window: Window) => number | null): number | null => meanOfKnown(windows.map(pick));
  const isOverloaded = state === 'overloaded';
  const states = [state, judgement.sizes.get(baseline)?.state];
  const isComparable = !states.includes('overloaded') && !states.includes('failing');
  return {
    size,
    ratio: isComparable ? ratiosOf(size, compared, plan) : { mean: null, p99: null, throughput: null },
    interval: ratio && size !== baseline ? inverted(boundsOf(ratio), objective) : null,
    verdict,
    chanceSlower: odds?.chanceSlower ?? null,
    meanMs: isOverloaded
      ? null
      : meanOfKnown(ofSize.map(({ arm, block }) => means.get(arm)?.get(block) ?? null)),
    p99Ms: isOverloaded ? null : latencyP99(windows, compared.filter(isWindow)),
    perSecond: ofSize.length === 0 ? 0 : sum(ofSize.map(answeredIn)) / sum(ofSize.map(secondsOf)),
    loopDelayMs: windows.length === 0 ? null : { p99: median(windows.map((one) => one.loopDelayMs.p99)) },
    queueWaitMs: {
      fast: meanOf(({ queueWaitMs }) => queueWaitMs.fast),
      slow: meanOf(({ queueWaitMs }) => queueWaitMs.slow),
    },
    cpu: {
      cores: meanOfKnown(ofSize.map(coresOf)),
      machineCores: meanOf(({ machineBusyCores }) => machineBusyCores),
    },
    busyThreads: meanOf(({ busyThreads }) => busyThreads),
    requests: sum(ofSize.map((sample) => (isWindow(sample) ? countOf(sample) : 1))),
    failed: sum(windows.map(({ failed }) => failed)),
    blocks,
    routes: isComparable ? routesOf(size, baseline, compared.filter(isWindow)) : [],
    overloaded: isOverloaded,
    failing: state === 'failing',
    leftEarly: state === 'left',
  };
}

function coresOf(sample: Sample): number | null {
  if (isWindow(sample)) return sample.cpuCores;
  return sample.cpuSeconds === null ? null : sample.cpuSeconds / secondsOf(sample);
}

/** More requests per second is a lower cost. */
const inverted = (bounds: [number, number] | null, objective: Objective): [number, number] | null =>
  bounds !== null && objective === 'throughput' ? [1 / bounds[1], 1 / bounds[0]] : bounds;

function ratiosOf(size: number, compared: readonly Sample[], { baseline }: JudgePlan): TunedSize['ratio'] {
  if (size === baseline) return { mean: 1, p99: 1, throughput: 1 };
  const ratio = (objective: Objective): number | null => {
    const { of } = logCosts(compared, objective);
    const logs = differences(of, size, bothTurns(of, baseline));
    return logs.length === 0 ? null : Math.exp(mean(logs));
  };
  const perRequest = ratio('throughput');
  return {
    mean: ratio('mean'),
    p99: compared.some(isWindow) ? ratio('p99') : null,
    throughput: perRequest && 1 / perRequest,
  };
}
