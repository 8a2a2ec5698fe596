import { type SweepRun, twinNoise } from '../lab/sweep.js';
import type { RequestMeasures } from '../model/request-measures.js';
import type { Compared, Prediction, Verification, VerificationNoise } from '../results/advice.js';
import type { Trace } from '../results/trace.js';
import { median } from '../stats/quantile.js';
import { measuredIn } from './measured.js';

/** A size and what was recorded of one run at it. */
export interface VerifyingRun {
  readonly size: number;
  readonly trace: Trace;
}

/** Compare predictions with runs at their sizes: the median of each figure over the runs of a size. */
export function verification(
  predictions: readonly Prediction[],
  runs: readonly VerifyingRun[],
): Verification[] {
  return predictions.flatMap((prediction) => {
    const own = runs.filter(({ size, trace }) => size === prediction.size && hasJobs(trace));
    return own.length === 0 ? [] : [compare(prediction, own)];
  });
}

/** How noisy the machine was, by the mean latency of a request, or else of a job. `null` when there is none. */
export function verificationNoise(runs: readonly SweepRun<Trace>[]): VerificationNoise | null {
  const noise = twinNoise(runs, (trace) => {
    const { requests, latencyMs } = measuredIn(trace, 1);
    return (requests ?? { latencyMs }).latencyMs.mean;
  });
  if (noise === null) return null;
  const { aaRatio, aaInterval, threshold, noisy } = noise;
  return { aaRatio, aaInterval: [aaInterval.low, aaInterval.high], threshold, noisy };
}

const hasJobs = ({ processes }: Trace): boolean => processes.some(({ jobs }) => jobs.length > 0);

function compare(prediction: Prediction, runs: readonly VerifyingRun[]): Verification {
  const all = runs.map(({ trace, size }) => measuredIn(trace, size));
  const of = (pick: (one: (typeof all)[number]) => number): number => median(all.map(pick));
  const measured: Compared = {
    latencyMs: { mean: of(({ latencyMs }) => latencyMs.mean), p99: of(({ latencyMs }) => latencyMs.p99) },
    makespanMs: of(({ makespanMs }) => makespanMs),
    jobsPerSecond: of(({ jobsPerSecond }) => jobsPerSecond),
    requests: medianRequests(all.flatMap(({ requests }) => requests ?? [])),
  };
  const { low, high } = prediction;
  const isIn = (pick: (one: Compared) => number): boolean =>
    pick(measured) >= pick(low) && pick(measured) <= pick(high);
  return {
    size: prediction.size,
    runs: runs.length,
    predicted: figures(prediction),
    measured,
    relativeError: {
      latencyMs: {
        mean: relative(prediction.latencyMs.mean, measured.latencyMs.mean),
        p99: relative(prediction.latencyMs.p99, measured.latencyMs.p99),
      },
      makespanMs: relative(prediction.makespanMs, measured.makespanMs),
      jobsPerSecond: relative(prediction.jobsPerSecond, measured.jobsPerSecond),
      requests: requestErrors(prediction.requests, measured.requests),
    },
    inBand: {
      mean: isIn(({ latencyMs }) => latencyMs.mean),
      p99: isIn(({ latencyMs }) => latencyMs.p99),
      makespan: isIn(({ makespanMs }) => makespanMs),
    },
    requestsInBand: requestsInBand(prediction, measured.requests),
  };
}

type ComparedRequests = Compared['requests'];

function medianRequests(all: readonly RequestMeasures[]): ComparedRequests {
  if (all.length === 0) return null;
  const of = (pick: (one: RequestMeasures) => number): number => median(all.map(pick));
  return {
    latencyMs: { mean: of(({ latencyMs }) => latencyMs.mean), p99: of(({ latencyMs }) => latencyMs.p99) },
    perSecond: of(({ perSecond }) => perSecond),
  };
}

function requestErrors(predicted: Prediction['requests'], measured: ComparedRequests): ComparedRequests {
  if (predicted === null || measured === null) return null;
  return {
    latencyMs: {
      mean: relative(predicted.latencyMs.mean, measured.latencyMs.mean),
      p99: relative(predicted.latencyMs.p99, measured.latencyMs.p99),
    },
    perSecond: relative(predicted.perSecond, measured.perSecond),
  };
}

function requestsInBand(
  { low, high }: Prediction,
  measured: ComparedRequests,
): Verification['requestsInBand'] {
  const [near, far] = [low.requests, high.requests];
  if (near === null || far === null || measured === null) return null;
  const isIn = (pick: (one: NonNullable<ComparedRequests>) => number): boolean =>
    pick(measured) >= pick(near) && pick(measured) <= pick(far);
  return {
    mean: isIn(({ latencyMs }) => latencyMs.mean),
    p99: isIn(({ latencyMs }) => latencyMs.p99),
    perSecond: isIn(({ perSecond }) => perSecond),
  };
}

const figures = ({ latencyMs, makespanMs, jobsPerSecond, requests }: Prediction): Compared => ({
  latencyMs: { mean: latencyMs.mean, p99: latencyMs.p99 },
  makespanMs,
  jobsPerSecond,
  requests:
    requests === null
      ? null
      : {
          latencyMs: { mean: requests.latencyMs.mean, p99: requests.latencyMs.p99 },
          perSecond: requests.perSecond,
        },
});

const relative = (predicted: number, measured: number): number =>
  measured === 0 ? 0 : predicted / measured - 1;
