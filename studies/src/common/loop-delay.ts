import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gapsOf } from '@plimsoll/benchmarks/support/gaps.js';

const RESOLUTION_MS = 1;
/** Of the example in Node's documentation, and so of most figures that people publish. */
const COMMON_RESOLUTION_MS = 20;

export interface LoopDelay {
  /** How late a timer due at a random moment fires, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** What `monitorEventLoopDelay({ resolution: 20 }).percentile(99)` says; its own 20 ms are part of it. */
  readonly commonP99: number;
}

/** Watches the event loop of this thread until the returned function is called. */
export function watchLoop(): () => Promise<LoopDelay> {
  const fine = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const common = monitorEventLoopDelay({ resolution: COMMON_RESOLUTION_MS });
  const started = performance.now();
  fine.enable();
  common.enable();
  return async () => {
    // A stall that no sample has ended yet would be missed.
    await new Promise((resolve) => setTimeout(resolve, RESOLUTION_MS));
    fine.disable();
    common.disable();
    const gaps = gapsOf(fine);
    const { arrivalLateness } = await import('plimsoll/lab');
    const whole = [performance.now() - started];
    const { p50, p99 } = arrivalLateness(gaps.length === 0 ? whole : gaps, RESOLUTION_MS);
    return { p50, p99, commonP99: common.percentile(99) / 1e6 };
  };
}
