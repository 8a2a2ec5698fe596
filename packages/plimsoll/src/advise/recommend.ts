import { itemAt } from '../collections/item-at.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import type {
  Advice,
  Objective,
  PredictedMeasures,
  PredictedOperation,
  Prediction,
} from '../results/advice.js';

/** This close to the best is as good as the best. */
export const AS_GOOD = 1.05;
/** At worst, too, a chosen size has to be as good as the default. */
const NOT_WORSE = AS_GOOD;
/** A choice that holds in fewer of the resampled runs is none. */
const STABLE = 0.75;
const SURE = 0.9;
/** With fewer jobs than this, chance decides. */
const LEAST_JOBS = 20;
/** When others used so much of the cores, the recording says more of them than of the app. */
const DISTURBED = 0.4;
const UNSETTLED = 0.1;
/** Of a memory limit that threads alone may take. */
const MEMORY_SHARE = 0.1;

export interface Grounds {
  readonly predictions: readonly Prediction[];
  readonly resamples: readonly (readonly PredictedMeasures[])[];
  readonly objective: Objective;
  readonly jobs: number;
  /** Share of the cores that others on the machine used while it was recorded. */
  readonly outsideShare: number;
  readonly usesDns: boolean;
  readonly instances: number;
  readonly pidsHeadroom: number | null;
  readonly memoryLimitBytes: number | null;
  /** Threads of the pools that were there when the limits were read. */
  readonly recordedThreads: number;
}

/** Why a size is out of the question. */
export type Refusal =
  | 'overloaded'
  | 'one-thread-for-lookups'
  | 'process-limit'
  | 'memory-limit'
  | 'slower-at-worst';

/** What an objective is about. */
export type Unit = 'request' | 'operation' | 'job';

/** What people feel of a program. */
const unitOf = ({ requests, operations }: PredictedMeasures): Unit =>
  requests !== null ? 'request' : operations.length > 0 ? 'operation' : 'job';

/** What an objective is about; how much is done in a time is told by requests or jobs. */
export const unitFor = (measures: PredictedMeasures, objective: Objective): Unit =>
  objective === 'throughput' && measures.requests === null ? 'job' : unitOf(measures);

/** Why a size is recommended. A `value` is that of the objective: milliseconds, or jobs a second. */
export type Reason =
  | { readonly id: 'advise.too-few-jobs'; readonly jobs: number }
  | { readonly id: 'advise.cores-taken'; readonly coresShare: number }
  | { readonly id: 'advise.no-size-fits' }
  /** In what share of the resampled runs a size was as good as the best. */
  | { readonly id: 'advise.weak-evidence'; readonly size: number; readonly share: number }
  /** `ratio` is to the value at the default size; `null` when that is recommended. */
  | {
      readonly id: 'advise.predicted';
      readonly objective: Objective;
      readonly unit: Unit;
      readonly value: number;
      readonly ratio: number | null;
    }
  /** What the tail or the event loop would pay for a larger size. */
  | {
      readonly id: 'advise.tail-pays';
      readonly size: number;
      readonly objective: Objective;
      readonly unit: Unit;
      readonly value: number;
      readonly p99Ms: number;
      readonly insteadOfP99Ms: number;
      readonly loopP99Ms: number;
      readonly insteadOfLoopP99Ms: number;
    }
  /** `size` is the best one. */
  | {
      readonly id: 'advise.little-gain';
      readonly objective: Objective;
      readonly unit: Unit;
      readonly size: number;
      readonly value: number;
    }
  | { readonly id: 'advise.no-better-size' }
  | {
      readonly id: 'advise.event-loop-delay';
      readonly size: number;
      readonly p99Ms: number;
      readonly insteadOfP99Ms: number;
    }
  /** `refusal` and `threads`, of all pools together, are those of the first of the sizes. */
  | {
      readonly id: 'advise.refused';
      readonly sizes: number[];
      readonly refusal: Refusal;
      readonly threads: number;
    };

/** A size, how certain it is, and why. */
export interface Choice extends Pick<Advice['recommended'], 'size' | 'confidence'> {
  readonly reasons: readonly Reason[];
}

/** What people feel: requests; without any, what the program called; where that was not recorded, its jobs. Milliseconds. */
export function felt({ requests, operations, latencyMs }: PredictedMeasures): {
  readonly mean: number;
  readonly p99: number;
} {
  if (requests !== null) return requests.latencyMs;
  const count = operations.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return latencyMs;
  const weighted = (pick: (one: PredictedOperation) => number): number =>
    operations.reduce((sum, one) => sum + one.count * pick(one), 0) / count;
  return { mean: weighted((one) => one.latencyMs.mean), p99: weighted((one) => one.latencyMs.p99) };
}

const perSecond = ({ requests, jobsPerSecond }: PredictedMeasures): number =>
  requests?.perSecond ?? jobsPerSecond;

/** What an objective costs: always the less the better. */
export function cost(measures: PredictedMeasures, objective: Objective): number {
  switch (objective) {
    case 'mean':
      return felt(measures).mean;
    case 'p99':
      return felt(measures).p99;
    case 'makespan':
      return measures.makespanMs;
    case 'throughput':
      return 1 / Math.max(1e-9, perSecond(measures));
  }
}

/** A time for everybody below this does not count, in milliseconds. */
const LEAST_TIME = 0.05;

/**
 * Whether a larger size is worth its threads: its gain is beyond what is as good, also less what the tail pays for it (with the
 * p99 as objective: the mean), and it does not delay the event loop, which everything else waits for, to more than twice and
 * 5 ms more, unless the gain is a quarter.
 */
function isWorthIt(larger: PredictedMeasures, smaller: PredictedMeasures, objective: Objective): boolean {
  const gain = Math.log(cost(smaller, objective) / Math.max(LEAST_COST, cost(larger, objective)));
  const other = objective === 'p99' ? 'mean' : 'p99';
  const [before, after] = [felt(smaller)[other], felt(larger)[other]];
  const paid =
    objective === 'makespan' ? 0 : Math.max(0, Math.log((after + LEAST_TIME) / (before + LEAST_TIME)));
  if (gain - paid <= Math.log(AS_GOOD)) return false;
  return gain >= Math.log(LARGE_GAIN) || !delaysLoop(larger, smaller);
}

const LEAST_COST = 1e-12;
const LARGE_GAIN = 4 / 3;

const delaysLoop = (larger: PredictedMeasures, smaller: PredictedMeasures): boolean =>
  larger.eventLoopDelayMs.p99 > 2 * smaller.eventLoopDelayMs.p99 + 5;

/**
 * The smallest size than which no larger one is worth its threads, by the rules of docs/reference/advise.md; the default where
 * the evidence is too weak for another.
 */
export function recommend(given: Grounds): Choice {
  const grounds = { ...given, objective: objectiveFor(given) };
  const { predictions, objective, jobs, outsideShare } = grounds;
  const standard = predictions.find(({ size }) => size === DEFAULT_POOL_SIZE) as Prediction;
  if (jobs < LEAST_JOBS) return keep({ id: 'advise.too-few-jobs', jobs });
  if (outsideShare >= DISTURBED) return keep({ id: 'advise.cores-taken', coresShare: outsideShare });
  const refused = predictions.map((prediction) => ({
    prediction,
    refusal: refusalOf(prediction, standard, grounds),
  }));
  const allowed = refused.filter(({ refusal }) => refusal === null).map(({ prediction }) => prediction);
  const best = least(allowed, objective);
  if (best === null) return keep({ id: 'advise.no-size-fits' });
  const chosen = allowed.find((one) =>
    allowed.every((larger) => larger.size <= one.size || !isWorthIt(larger, one, objective)),
  ) as Prediction;
  const stability = holds(chosen, grounds, allowed);
  if (chosen.size !== DEFAULT_POOL_SIZE && stability < STABLE && allowed.includes(standard))
    return keep({ id: 'advise.weak-evidence', size: chosen.size, share: stability });
  return {
    size: chosen.size,
    reasons: reasonsFor(chosen, standard, best, refused, grounds),
    confidence: confidence(chosen, stability, standard, grounds),
  };
}

/** Where no size can serve what comes no latency is a number, and what counts is how much is served. */
export const objectiveFor = ({ predictions, objective }: Grounds): Objective =>
  predictions.every(({ requests }) => requests?.isOverloaded === true) ? 'throughput' : objective;

const keep = (why: Reason): Choice => ({ size: DEFAULT_POOL_SIZE, reasons: [why], confidence: 'low' });

function least(predictions: readonly Prediction[], objective: Objective): Prediction | null {
  return predictions.reduce<Prediction | null>(
    (best, one) => (best === null || cost(one, objective) < cost(best, objective) ? one : best),
    null,
  );
}

/** Why a size is out of the question; `null` when it is not. */
function refusalOf(prediction: Prediction, standard: Prediction, grounds: Grounds): Refusal | null {
  const { size } = prediction;
  const { pidsHeadroom, memoryLimitBytes } = grounds;
  const isOver = (one: Prediction): boolean => one.requests?.isOverloaded === true;
  if (isOver(prediction) && grounds.predictions.some((one) => !isOver(one))) return 'overloaded';
  if (grounds.usesDns && size < 2) return 'one-thread-for-lookups';
  if (pidsHeadroom !== null && size * grounds.instances > pidsHeadroom + grounds.recordedThreads)
    return 'process-limit';
  if (memoryLimitBytes !== null && prediction.memoryBytes > MEMORY_SHARE * memoryLimitBytes)
    return 'memory-limit';
  // Latencies in a bound that shares a device equally are no longer those of a queue; what gets done in all is.
  const worst = (one: Prediction): number => (one.pessimistic ?? one).makespanMs;
  if (size !== DEFAULT_POOL_SIZE && worst(prediction) > NOT_WORSE * worst(standard)) return 'slower-at-worst';
  return null;
}

/** In which share of the resampled runs the size was as good as the best that is allowed, or better than the default by as much. */
function holds(
  { size }: Prediction,
  { predictions, resamples, objective }: Grounds,
  allowed: readonly Prediction[],
): number {
  const column = predictions.findIndex((prediction) => prediction.size === size);
  const columns = allowed.map((one) => predictions.indexOf(one));
  const standard = predictions.findIndex((prediction) => prediction.size === DEFAULT_POOL_SIZE);
  const good = resamples.filter((row) => {
    const costs = row.map((measures) => cost(measures, objective));
    const own = itemAt(costs, column);
    // A size that is better, but that the tail or the event loop pays for, is no rival.
    const rivals = columns.filter((index) => {
      const [one, chosen] = [itemAt(row, index), itemAt(row, column)];
      return itemAt(predictions, index).size < size || isWorthIt(one, chosen, objective);
    });
    const lowest = Math.min(own, ...rivals.map((index) => itemAt(costs, index)));
    // Chance moves the best of many sizes below the truth: twice the tolerance.
    return own <= (2 * AS_GOOD - 1) * lowest || own * AS_GOOD <= itemAt(costs, standard);
  });
  return resamples.length === 0 ? 0 : good.length / resamples.length;
}

function confidence(
  chosen: Prediction,
  stability: number,
  standard: Prediction,
  { objective, outsideShare }: Grounds,
): Choice['confidence'] {
  if (stability < STABLE) return 'low';
  const gain = cost(standard, objective) / cost(chosen, objective);
  const sureGain =
    cost(standard.pessimistic ?? standard, objective) / cost(chosen.pessimistic ?? chosen, objective);
  // A gain that rests on something outside serving more at a time than it was ever seen to.
  const isExtrapolated = gain > AS_GOOD && sureGain < 1 + (gain - 1) / 2;
  return stability >= SURE && !isExtrapolated && outsideShare < UNSETTLED ? 'high' : 'medium';
}

/** What an objective comes to: milliseconds, or jobs a second. */
export const figure = (one: Prediction, objective: Objective): number =>
  objective === 'throughput' ? perSecond(one) : cost(one, objective);

function reasonsFor(
  chosen: Prediction,
  standard: Prediction,
  best: Prediction,
  refused: readonly { readonly prediction: Prediction; readonly refusal: Refusal | null }[],
  { objective, instances, predictions }: Grounds,
): Reason[] {
  const value = figure(chosen, objective);
  const ratio = chosen === standard ? null : value / figure(standard, objective);
  const unit = unitFor(chosen, objective);
  const reasons: Reason[] = [{ id: 'advise.predicted', objective, unit, value, ratio }];
  const isSmall = cost(best, objective) * AS_GOOD >= cost(chosen, objective);
  if (
    best.size > chosen.size &&
    (!isSmall || delaysLoop(best, chosen) || felt(best).p99 > AS_GOOD * felt(chosen).p99)
  )
    reasons.push({
      id: 'advise.tail-pays',
      size: best.size,
      objective,
      unit,
      value: figure(best, objective),
      p99Ms: felt(best).p99,
      insteadOfP99Ms: felt(chosen).p99,
      loopP99Ms: best.eventLoopDelayMs.p99,
      insteadOfLoopP99Ms: chosen.eventLoopDelayMs.p99,
    });
  else if (best.size > chosen.size)
    reasons.push({
      id: 'advise.little-gain',
      objective,
      unit,
      size: best.size,
      value: figure(best, objective),
    });
  else if (best === chosen) reasons.push({ id: 'advise.no-better-size' });
  const largest = predictions.at(-1) as Prediction;
  const [own, most] = [chosen.eventLoopDelayMs.p99, largest.eventLoopDelayMs.p99];
  if (largest.size > chosen.size && most > 2 * own + 5)
    reasons.push({
      id: 'advise.event-loop-delay',
      size: largest.size,
      p99Ms: most,
      insteadOfP99Ms: own,
    });
  const better = refused.filter(
    ({ prediction, refusal }) => refusal !== null && cost(prediction, objective) < cost(chosen, objective),
  );
  const [first] = better;
  if (first !== undefined && first.refusal !== null)
    reasons.push({
      id: 'advise.refused',
      sizes: better.map(({ prediction }) => prediction.size),
      refusal: first.refusal,
      threads: first.prediction.size * instances,
    });
  return reasons;
}
