import type { BenchProgress } from '../bench/options.js';
import type { ClassifyProgress } from '../classify/classify.js';
import { printable } from '../host/printable.js';
import { AS_IT_IS, type LoadProgress } from '../load/options.js';
import { formatDuration, formatMs, tableName } from './format.js';

const BAR = 20;

/** One line, at most `width` characters, that says how far a bench is. */
export function progressText(progress: BenchProgress, width: number): string {
  const { workload, stage, block, blocks, size, roundMs, leftMs, share } = progress;
  const left = leftMs === null ? 'estimating' : `${formatDuration(leftMs)} left`;
  const parts = [
    stage === 'pilot' ? `${workload}: trial run` : `${workload}: block ${block + 1} of ${blocks}`,
    `size ${size}: ${formatMs(roundMs)}`,
    ...(width >= 75 ? [bar(share)] : []),
    `${Math.floor(share * 100)} %, ${left}`,
  ];
  return parts.join('  ').slice(0, width - 1);
}

/** The same for a classification. */
export function classifyProgressText({ name, done, all, leftMs }: ClassifyProgress, width: number): string {
  const share = done / all;
  const parts = [`${done} of ${all}`, bar(share), `${formatDuration(leftMs)} left`, printable(name)];
  return parts.join('  ').slice(0, width - 1);
}

/** One line, at most `width` characters, that says how far a load is. */
export function loadProgressText(progress: LoadProgress, width: number): string {
  const { mode, case: name, size, block, blocks, share, leftMs } = progress;
  const left = leftMs === null ? 'first run' : `${Math.floor(share * 100)} %, ${formatDuration(leftMs)} left`;
  const parts = [
    `${tableName(mode, name)}: block ${block + 1} of ${blocks}`,
    ...(size === AS_IT_IS ? [] : [`size ${size}`]),
    ...(width >= 75 ? [bar(share)] : []),
    left,
  ];
  return parts.join('  ').slice(0, width - 1);
}

function bar(share: number): string {
  const filled = Math.round(share * BAR);
  return '█'.repeat(filled) + '░'.repeat(BAR - filled);
}
