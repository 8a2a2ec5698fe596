import { itemAt } from '../collections/item-at.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import type { Advice, Objective, PredictedMeasures, Prediction } from '../results/advice.js';
import { change, list, ms } from '../results/words.js';

/** This close to the best is as good as the best. */
const AS_GOOD = 1.05;
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

/** What an objective costs: always the less the better. */
export function cost(measures: PredictedMeasures, objective: Objective): number {
  switch (objective) {
    case 'mean':
      return measures.latencyMs.mean;
    case 'p99':
      return measures.latencyMs.p99;
    case 'makespan':
      return measures.makespanMs;
    case 'throughput':
      return 1 / Math.max(1e-9, measures.throughput);
  }
}

/**
 * The smallest size that is as good as the best, by the rules of docs/reference/advise.md; the default where the evidence is too weak for
 * another.
 */
export function recommend(grounds: Grounds): Advice['recommended'] {
  const { predictions, objective, jobs } = grounds;
  const standard = predictions.find(({ size }) => size === DEFAULT_POOL_SIZE) as Prediction;
  if (jobs < LEAST_JOBS)
    return keep(`only ${jobs} ${jobs === 1 ? 'job' : 'jobs'} were recorded; record for longer`);
  if (grounds.outsideShare >= DISTURBED)
    return keep(
      `while this was recorded others used about ${Math.round(100 * grounds.outsideShare)} % of the cores; record on a quieter machine`,
    );
  const refused = predictions.map((prediction) => ({
    prediction,
    why: refusal(prediction, standard, grounds),
  }));
  const allowed = refused.filter(({ why }) => why === null).map(({ prediction }) => prediction);
  const best = least(allowed, objective);
  if (best === null) return keep('no size is allowed by the limits of this machine');
  const limit = AS_GOOD * cost(best, objective);
  const chosen = allowed.find((prediction) => cost(prediction, objective) <= limit) as Prediction;
  const stability = holds(chosen, grounds, allowed);
  if (
    chosen.size !== DEFAULT_POOL_SIZE &&
    stability < STABLE &&
    refused.some(({ prediction, why }) => prediction === standard && why === null)
  )
    return keep(
      `the evidence is too weak: ${chosen.size} was as good as the best in only ${Math.round(100 * stability)} % of the runs as they might have been`,
    );
  return {
    size: chosen.size,
    because: because(chosen, standard, best, refused, objective),
    confidence: confidence(chosen, stability, standard, grounds),
  };
}

const keep = (why: string): Advice['recommended'] => ({
  size: DEFAULT_POOL_SIZE,
  because: `keep the default: ${why}`,
  confidence: 'low',
});

function least(predictions: readonly Prediction[], objective: Objective): Prediction | null {
  return predictions.reduce<Prediction | null>(
    (best, one) => (best === null || cost(one, objective) < cost(best, objective) ? one : best),
    null,
  );
}

/** Why a size is out of the question; `null` when it is not. */
function refusal(prediction: Prediction, standard: Prediction, grounds: Grounds): string | null {
  const { size } = prediction;
  const threads = size * grounds.instances;
  if (grounds.usesDns && size < 2) return 'with one thread a single slow lookup holds up everything';
  if (grounds.pidsHeadroom !== null && threads > grounds.pidsHeadroom + grounds.recordedThreads)
    return `${threads} threads do not fit under the limit of processes, and libuv aborts when it cannot create one`;
  if (grounds.memoryLimitBytes !== null && prediction.memoryBytes > MEMORY_SHARE * grounds.memoryLimitBytes)
    return 'its threads alone would take a tenth of the memory limit';
  // Latencies in a bound that shares a device equally are no longer those of a queue; what gets done in all is.
  const worst = (one: Prediction): number => (one.pessimistic ?? one).makespanMs;
  if (size !== DEFAULT_POOL_SIZE && worst(prediction) > NOT_WORSE * worst(standard))
    return `at worst it is slower than ${DEFAULT_POOL_SIZE}`;
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
    const lowest = Math.min(...columns.map((index) => itemAt(costs, index)));
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
): Advice['recommended']['confidence'] {
  if (stability < STABLE) return 'low';
  const gain = cost(standard, objective) / cost(chosen, objective);
  const sureGain =
    cost(standard.pessimistic ?? standard, objective) / cost(chosen.pessimistic ?? chosen, objective);
  // A gain that rests on something outside serving more at a time than it was ever seen to.
  const isExtrapolated = gain > AS_GOOD && sureGain < 1 + (gain - 1) / 2;
  return stability >= SURE && !isExtrapolated && outsideShare < UNSETTLED ? 'high' : 'medium';
}

const SAYS: Record<Objective, (measures: PredictedMeasures) => string> = {
  mean: ({ latencyMs }) => `${ms(latencyMs.mean)} ms mean latency`,
  p99: ({ latencyMs }) => `${ms(latencyMs.p99)} ms latency (p99)`,
  makespan: ({ makespanMs }) => `${ms(makespanMs)} ms in all`,
  throughput: ({ throughput }) => `${throughput.toFixed(throughput < 10 ? 1 : 0)} jobs a second`,
};

function because(
  chosen: Prediction,
  standard: Prediction,
  best: Prediction,
  refused: readonly { readonly prediction: Prediction; readonly why: string | null }[],
  objective: Objective,
): string {
  const says = SAYS[objective];
  const parts: string[] = [];
  if (chosen.size === DEFAULT_POOL_SIZE) parts.push(`${says(chosen)}`);
  else {
    const ratio =
      objective === 'throughput'
        ? chosen.throughput / standard.throughput
        : cost(chosen, objective) / cost(standard, objective);
    parts.push(`${says(chosen)}, ${change(ratio)} against ${DEFAULT_POOL_SIZE}`);
  }
  if (best.size > chosen.size) parts.push(`beyond it little is gained: ${best.size} comes to ${says(best)}`);
  else if (best.size === chosen.size) parts.push('no other size is better');
  const later = predictionsWithLaterLoop(
    refused.map(({ prediction }) => prediction),
    chosen,
  );
  if (later !== null)
    parts.push(
      `larger pools make the event loop late: ${ms(later.eventLoopDelayMs.p99)} ms (p99) at ${later.size} instead of ${ms(chosen.eventLoopDelayMs.p99)}`,
    );
  const limits = refused.filter(
    ({ prediction, why }) => why !== null && cost(prediction, objective) < cost(chosen, objective),
  );
  if (limits.length > 0)
    parts.push(`${list(limits.map(({ prediction }) => prediction.size))} refused: ${limits[0]?.why}`);
  return parts.join('; ');
}

/** The largest size, when its event loop is much later than that of the chosen one. */
function predictionsWithLaterLoop(predictions: readonly Prediction[], chosen: Prediction): Prediction | null {
  const largest = predictions.at(-1) as Prediction;
  const isLater =
    largest.size > chosen.size && largest.eventLoopDelayMs.p99 > 2 * chosen.eventLoopDelayMs.p99 + 5;
  return isLater ? largest : null;
}
