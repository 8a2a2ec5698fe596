import { isDeepStrictEqual } from 'node:util';
import type { LoadCell, LoadRecommendation } from '../results/load.js';
import { change, list, wait } from '../results/words.js';
import type { Noise } from '../stats/paired-comparison.js';
import type { Ranking } from '../stats/ranking.js';
import { AS_IT_IS } from './options.js';

/** Which size a table recommends, and why; nothing is recommended that the data cannot carry. */
export function recommend(
  cells: readonly LoadCell[],
  { best, recommended, asGood, higherEventLoopDelay, confidence }: Ranking,
  { noisy }: Noise,
  baseline: number,
): Omit<LoadRecommendation, 'mode' | 'instances' | 'case'> {
  const doubtful = doubt(cells, noisy, baseline);
  const size = doubtful === null ? recommended : null;
  const lean = doubtful === null && asGood.length > 0 ? Math.min(...asGood) : null;
  return {
    size,
    estimate: size === null ? lean : null,
    best,
    asGood,
    bystanderWorse: higherEventLoopDelay,
    confidence: size === null ? null : confidence,
    noisy,
    because:
      doubtful ??
      reasons(cells, { best, asGood, higherEventLoopDelay, confidence, chosen: size ?? lean, baseline }),
  };
}

/** The sizes at which requests or operations failed. */
export const failingSizes = (cells: readonly LoadCell[]): number[] =>
  cells.filter(({ errors }) => errors > 0).map(({ size }) => size ?? AS_IT_IS);

/** Why nothing can be recommended, whatever the figures say. */
function doubt(cells: readonly LoadCell[], noisy: boolean, baseline: number): string | null {
  const bound = cells.filter(({ problems }) => problems.includes('generator-bound'));
  if (bound.length > 0)
    return `the client itself was too busy or too late at ${list(bound.map(({ size }) => size ?? 0))}: lower the rate, or load from another machine`;
  const failing = failingSizes(cells);
  if (failing.includes(baseline)) return `requests failed at ${list(failing)}, the baseline among them`;
  const [first] = cells;
  if (first !== undefined && first.observedThreads.length > 0 && cells.every(hasThreadsOf(first)))
    return `${list(first.observedThreads.map(String))} threads were counted at every size: something in the server sets UV_THREADPOOL_SIZE itself`;
  return noisy ? 'too noisy: the baseline differs from itself' : null;
}

const hasThreadsOf =
  ({ observedThreads }: LoadCell) =>
  (cell: LoadCell): boolean =>
    isDeepStrictEqual(cell.observedThreads, observedThreads) && !observedThreads.includes(null);

interface Grounds extends Pick<Ranking, 'best' | 'asGood' | 'higherEventLoopDelay' | 'confidence'> {
  readonly chosen: number | null;
  readonly baseline: number;
}

function reasons(
  cells: readonly LoadCell[],
  { best, asGood, higherEventLoopDelay, confidence, chosen, baseline }: Grounds,
): string {
  const cell = (size: number): LoadCell | undefined => cells.find((candidate) => candidate.size === size);
  const others = asGood.filter((size) => size !== chosen);
  const failing = failingSizes(cells);
  const ratio = chosen === null || chosen === baseline ? null : (cell(chosen)?.ratio ?? null);
  const parts = [
    ...(ratio === null ? [] : [`${change(ratio)} time against ${baseline}`]),
    ...(others.length === 0
      ? []
      : [`${list(others)} ${confidence === null ? 'cannot be told apart' : 'no better'}`]),
    ...(higherEventLoopDelay.length === 0 || chosen === null
      ? []
      : [`${list(higherEventLoopDelay)} no faster, and ${waits(higherEventLoopDelay, chosen, cell)}`]),
    ...(failing.length === 0
      ? []
      : [`requests failed at ${list(failing)}, and so ${failing.length === 1 ? 'it is' : 'they are'} out`]),
    ...(confidence === 'not distinguished' ? [`not shown to be slower than ${best}, nor to be as fast`] : []),
  ];
  return parts.length === 0 ? 'the fastest' : parts.join('; ');
}

function waits(
  sizes: readonly number[],
  chosen: number,
  cell: (size: number) => LoadCell | undefined,
): string {
  const p99 = (size: number): number => cell(size)?.bystanderMs?.p99 ?? 0;
  const worst = Math.max(...sizes.map(p99));
  return `the bystander waits up to ${wait(worst)} (p99) instead of ${wait(p99(chosen))}`;
}
