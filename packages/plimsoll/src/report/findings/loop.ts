import type { SizeResult } from '../../results/bench.js';
import { formatMs, list } from '../format.js';
import { sizeOf, type WorkloadRule } from './context.js';

/** Sizes that are as fast as the best but delay the event loop, and with it every other request. */
export const eventLoopDelay: WorkloadRule = (workload) => {
  const chosen = sizeOf(workload, workload.recommended);
  const late = workload.sizes.filter(({ size }) => workload.higherEventLoopDelay.includes(size));
  if (chosen === undefined || late.length === 0) return [];
  const delay = ({ eventLoopDelayMs }: SizeResult): number => eventLoopDelayMs.p99;
  const sizes = late.map(({ size }) => size);
  return [
    {
      id: 'bench.event-loop-delay',
      severity: 'advice',
      text: `${workload.name}: ${list(sizes)} ${sizes.length === 1 ? 'is' : 'are'} no faster than ${chosen.size}, and the event-loop delay is ${list(late.map((size) => formatMs(delay(size))))} (p99) instead of ${formatMs(delay(chosen))}`,
      evidence: {
        sizes,
        p99Ms: late.map(delay),
        insteadOf: chosen.size,
        insteadOfP99Ms: delay(chosen),
      },
    },
  ];
};
