import { monitorEventLoopDelay } from 'node:perf_hooks';
import { arrivalLateness, type Lateness } from '../../stats/lateness.js';

const RESOLUTION_MS = 1;
const MOST_GAPS = 5000;

/**
 * Watch the event loop of this process from now on.
 *
 * @example
 * const delay = watchLoopDelay();
 * // …
 * delay.stop().p99; // how late a timer fired in 1 of 100 random moments, in milliseconds
 */
export function watchLoopDelay(): { stop(): Lateness } {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const started = performance.now();
  loop.enable();
  return {
    stop() {
      loop.disable();
      // A loop that never turned has no gap but the whole time.
      const seen = loop.count === 0 ? [performance.now() - started] : gaps(loop);
      return arrivalLateness(seen, RESOLUTION_MS);
    },
  };
}

/** The gaps that the sampler saw, recovered from the ranks of its histogram (exact up to MOST_GAPS samples). */
function gaps(loop: ReturnType<typeof monitorEventLoopDelay>): number[] {
  const samples = Math.min(loop.count, MOST_GAPS);
  return Array.from({ length: samples }, (_, rank) => loop.percentile(((rank + 1) * 100) / samples) / 1e6);
}
