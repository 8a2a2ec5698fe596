import { quantileOfSorted } from '../stats/quantile.js';
import type { Passage } from './workload.js';

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
}

/**
 * What a passage through pools with `threads` threads in all comes to.
 *
 * @throws {RangeError} when there is no job.
 */
export function measure(passage: Passage, threads: number): Measures {
  const { submitMs, startMs, endMs, callbackMs, loopDelaysMs } = passage;
  const count = submitMs.length;
  const waits = new Float64Array(count);
  const latencies = new Float64Array(count);
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  let served = 0;
  for (let job = 0; job < count; job++) {
    const submitted = submitMs[job] as number;
    waits[job] = (startMs[job] as number) - submitted;
    latencies[job] = (callbackMs[job] as number) - submitted;
    served += (endMs[job] as number) - (startMs[job] as number);
    if (submitted < first) first = submitted;
    if ((callbackMs[job] as number) > last) last = callbackMs[job] as number;
  }
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
