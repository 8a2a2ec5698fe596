import type { BenchProgress } from '../bench/options.js';
import type { ClassifyProgress } from '../classify/classify.js';
import { printable } from '../host/printable.js';
import { halfWidth, type RatioInterval } from '../stats/intervals.js';
import type { TuneProgress } from '../tune/request.js';
import type { Objective as TuneObjective } from '../tune/sample.js';
import { change, formatCount, formatDuration, percent } from './format.js';

/** A wider interval says nothing. */
const WIDEST = 1;

export const progressLine = (
  name: string,
  { generation, leftMs, share }: Pick<BenchProgress, 'generation' | 'leftMs' | 'share'>,
  width: number,
): string =>
  oneLine(width, [
    generation === 0 ? `${name}: trial run` : `${name}: ${formatCount(generation, 'generation')}`,
    `${Math.floor(share * 100)} %`,
    ...(leftMs === null ? [] : [leftText(leftMs)]),
  ]);

const leftText = (ms: number): string => `${formatDuration(ms)} left`;

const oneLine = (width: number, parts: readonly string[]): string => parts.join('  ').slice(0, width - 1);

function halfText(interval: RatioInterval): string {
  const half = halfWidth(interval);
  return half <= WIDEST ? ` ±${percent(half)}` : '';
}

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
  const parts = [`${Math.floor(share * 100)} %`, left];
  if (phase === 'warming up' || known === null) return ['warming up', ...parts];
  const living = known.living.filter((arm) => arm !== 'twin');
  const ratio = known.sizes.get(known.leading ?? Number.NaN)?.ratio ?? null;
  const by =
    ratio === null || ratio.ratio === 1
      ? ''
      : ` ${change(objective === 'throughput' ? 1 / ratio.ratio : ratio.ratio)}${halfText(ratio)}`;
  return [
    ...parts,
    formatCount(blocks, 'block'),
    ...(known.noisy ? ['too noisy so far'] : []),
    ...(known.leading === null ? [] : [`${known.leading} leads${by}`]),
    `remaining: ${living.join(', ')}`,
  ];
}
