import type { BenchProgress } from '../bench/options.js';
import type { ClassifyProgress } from '../classify/classify.js';
import { printable } from '../host/printable.js';
import { halfWidth, type RatioInterval } from '../stats/intervals.js';
import type { TuneProgress } from '../tune/request.js';
import type { Objective as TuneObjective } from '../tune/sample.js';
import { change, formatCount, formatDuration, percent } from './format.js';

/** A wider interval says nothing. */
const WIDEST = 1;

const leftText = (ms: number): string => `${formatDuration(ms)} left`;
const shareText = (share: number): string => `${Math.floor(share * 100)} %`;
const oneLine = (width: number, parts: readonly string[]): string => parts.join('  ').slice(0, width - 1);

export const progressLine = (
  name: string,
  { generation, leftMs, share }: Pick<BenchProgress, 'generation' | 'leftMs' | 'share'>,
  width: number,
): string =>
  oneLine(width, [
    `${name}: ${generation === 0 ? 'trial run' : formatCount(generation, 'generation')}`,
    shareText(share),
    ...(leftMs === null ? [] : [leftText(leftMs)]),
  ]);

export const classifyProgressText = ({ name, done, all, leftMs }: ClassifyProgress, width: number): string =>
  oneLine(width, [`${done} of ${all}`, leftText(leftMs), printable(name)]);

export const tuneProgressText = (progress: TuneProgress, objective: TuneObjective, width: number): string =>
  oneLine(width, tuneParts(progress, objective));

function tuneParts(
  { phase, at, share, leftMs, blocks, known }: TuneProgress,
  objective: TuneObjective,
): string[] {
  const left = leftText(leftMs);
  if (phase === 'starting') return ['starting'];
  if (phase === 'waiting')
    return [`waiting for requests${at === null ? '' : ` at ${printable(at)}`} (${left})`];
  if (phase === 'warming up' || known === null) return ['warming up', shareText(share), left];
  const { leading, living, noisy, sizes } = known;
  const ratio = sizes.get(leading ?? Number.NaN)?.ratio ?? null;
  return [
    ...[shareText(share), left, formatCount(blocks, 'block')],
    ...(noisy ? ['too noisy so far'] : []),
    ...(leading === null ? [] : [`${leading} leads${gainText(ratio, objective)}`]),
    `remaining: ${living.filter((arm) => arm !== 'twin').join(', ')}`,
  ];
}

function gainText(ratio: RatioInterval | null, objective: TuneObjective): string {
  if (ratio === null || ratio.ratio === 1) return '';
  const half = halfWidth(ratio);
  const gain = change(objective === 'throughput' ? 1 / ratio.ratio : ratio.ratio);
  return ` ${gain}${half <= WIDEST ? ` ±${percent(half)}` : ''}`;
}
