import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchLoopDelay } from '@plimsoll/lab/child';

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

/** Watches the event loop of this thread until the returned function is called, by our sampler and by the usual one. */
export function watchLoop(): () => Promise<LoopDelay> {
  const common = monitorEventLoopDelay({ resolution: COMMON_RESOLUTION_MS });
  const fine = watchLoopDelay();
  common.enable();
  return async () => {
    // A stall that no sample has ended yet would be missed.
    await sleep(RESOLUTION_MS);
    common.disable();
    const { p50, p99 } = fine.stop();
    return { p50, p99, commonP99: common.percentile(99) / 1e6 };
  };
}
