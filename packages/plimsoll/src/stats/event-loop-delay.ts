import { sum } from '../collections/sum.js';

/** The delay of a timer that falls due at a random moment, in milliseconds. */
export interface EventLoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * From the gaps between the turns of an event-loop sampler, the delay of a timer that fell due at a uniformly
 * random moment.
 *
 * `monitorEventLoopDelay` takes one sample a turn, so that a stall of 50 ms is one sample among the fifty that fit into
 * the next quiet 50 ms: percentiles over its samples hide what a request experiences (coordinated omission). Here a gap
 * g counts for its length: a moment inside it waits for what is left of it, less the sampler's own resolution r. Hence
 * P(delay > x) = Σ max(0, gᵢ − r − x) ÷ Σ gᵢ, which is piecewise linear and is solved exactly.
 *
 * @param gapsMs gaps between turns, the resolution included, in any order.
 */
export function eventLoopDelay(gapsMs: readonly number[], resolutionMs: number): EventLoopDelay {
  const delays = gapsMs.map((gap) => Math.max(0, gap - resolutionMs)).sort((a, b) => b - a);
  const time = sum(gapsMs);
  return { p50: exceeded(delays, 0.5 * time), p99: exceeded(delays, 0.01 * time), max: delays[0] ?? 0 };
}

/** The x for which Σ max(0, delayᵢ − x) is `excess`; `delays` is descending. */
function exceeded(delays: readonly number[], excess: number): number {
  let total = 0;
  for (const [index, value] of delays.entries()) {
    total += value;
    const x = (total - excess) / (index + 1);
    if (x >= (delays[index + 1] ?? 0)) return x;
  }
  return 0;
}
