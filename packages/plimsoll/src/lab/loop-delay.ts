import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type EventLoopDelay, eventLoopDelay } from '../stats/event-loop-delay.js';

const RESOLUTION_MS = 1;
const MOST_GAPS = 5000;

export function watchLoopDelay(): { stop(): EventLoopDelay } {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const started = performance.now();
  loop.enable();
  return {
    stop() {
      loop.disable();
      // The whole time is the only gap of a loop that never turned.
      const seen = loop.count === 0 ? [performance.now() - started] : gapsOf(loop);
      return eventLoopDelay(seen, RESOLUTION_MS);
    },
  };
}

/** The gaps between the samples in milliseconds, from the ranks of the histogram: exact up to 5,000 samples. */
function gapsOf(loop: IntervalHistogram): number[] {
  const samples = Math.min(loop.count, MOST_GAPS);
  return Array.from({ length: samples }, (_, rank) => loop.percentile(((rank + 1) * 100) / samples) / 1e6);
}
