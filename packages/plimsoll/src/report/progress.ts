import type { BenchProgress } from '../bench/options.js';
import { formatDuration, formatMs } from './format.js';

const BAR = 20;

/** One line, at most `width` characters, that says how far a bench is. */
export function progressText(progress: BenchProgress, width: number): string {
  const { workload, stage, block, blocks, size, ms, leftMs, share } = progress;
  const filled = Math.round(share * BAR);
  const left = leftMs === null ? 'estimating' : `${formatDuration(leftMs)} left`;
  const parts = [
    stage === 'pilot' ? `${workload}: trial run` : `${workload}: block ${block + 1} of ${blocks}`,
    `size ${size}: ${formatMs(ms)}`,
    ...(width >= 75 ? ['█'.repeat(filled) + '░'.repeat(BAR - filled)] : []),
    `${Math.floor(share * 100)} %, ${left}`,
  ];
  return parts.join('  ').slice(0, width - 1);
}
