import { quantileOfSorted } from '../stats/quantile.js';
import {
  type OperationMeasures,
  operationsIn,
  type RequestMeasures,
  requestsIn,
} from './request-measures.js';
import type { Passage, Workload } from './workload.js';

/** What a pool size comes to. Times in milliseconds. */
export interface Measures {
  readonly queueWaitMs: { readonly mean: number; readonly p99: number };
  /** From submission until the event loop took the result. */
  readonly latencyMs: {
    readonly mean: number;
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
  };
  /** From the first submission to the last result. */
  readonly makespanMs: number;
  /** Jobs a second. */
  readonly jobsPerSecond: number;
  /** Of the pool's threads, from 0 to 1. */
  readonly utilization: number;
  readonly eventLoopDelayMs: { readonly p99: number };
  /** `null` when the program was asked nothing. */
  readonly requests: RequestMeasures | null;
  /** By name, the most frequent first; empty where the calls were not recorded. */
  readonly operations: readonly OperationMeasures[];
}

/** What jobs came to; the rest of the measures is about what they were for. */
export type JobMeasures = Omit<Measures, 'requests' | 'operations'>;

/** What a workload comes to in a passage through pools with `threads` threads in all. */
export const measureWork = (work: Workload, passage: Passage, threads: number): Measures => ({
  ...measure(passage, threads, work.point),
  requests: requestsIn(work, passage),
  operations: operationsIn(work, passage),
});

/**
 * What the jobs of a passage through pools with `threads` threads in all come to.
 *
 * @param point 1 for steps that are no jobs
 * @throws {RangeError} when there is no job.
 */
export function measure(passage: Passage, threads: number, point?: Uint8Array): JobMeasures {
  const { submitMs, startMs, endMs, callbackMs, loopDelaysMs } = passage;
  const steps = submitMs.length;
  const allWaits = new Float64Array(steps);
  const allLatencies = new Float64Array(steps);
  let count = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  let served = 0;
  for (let job = 0; job < steps; job++) {
    if (point?.[job] === 1) continue;
    const submitted = submitMs[job] as number;
    allWaits[count] = (startMs[job] as number) - submitted;
    allLatencies[count] = (callbackMs[job] as number) - submitted;
    count++;
    served += (endMs[job] as number) - (startMs[job] as number);
    if (submitted < first) first = submitted;
    if ((callbackMs[job] as number) > last) last = callbackMs[job] as number;
  }
  const waits = allWaits.subarray(0, count);
  const latencies = allLatencies.subarray(0, count);
  const makespanMs = last - first;
  return {
    queueWaitMs: { mean: mean(waits), p99: quantiles(waits, [0.99])[0] as number },
    latencyMs: spread(latencies),
    makespanMs,
    jobsPerSecond: makespanMs > 0 ? (1000 * count) / makespanMs : 0,
    utilization: makespanMs > 0 ? Math.min(1, served / (threads * makespanMs)) : 0,
    eventLoopDelayMs: {
      p99: loopDelaysMs.length === 0 ? 0 : (quantiles(Float64Array.from(loopDelaysMs), [0.99])[0] as number),
    },
  };
}

function spread(latencies: Float64Array): Measures['latencyMs'] {
  const [p50 = 0, p95 = 0, p99 = 0] = quantiles(latencies, [0.5, 0.95, 0.99]);
  return { mean: mean(latencies), p50, p95, p99 };
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  return sum / values.length;
}

function quantiles(values: Float64Array, at: readonly number[]): number[] {
  if (values.length === 0) throw new RangeError('there is no job to measure');
  values.sort();
  return at.map((q) => quantileOfSorted(values as unknown as readonly number[], q));
}
