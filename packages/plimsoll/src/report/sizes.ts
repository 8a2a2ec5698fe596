import type { Environment } from '../host/environment.js';
import type { Verdict } from '../results/bench.js';
import { type Cell, type Column, type Curve, column, type Ratio, type Table, type Tone } from './document.js';
import { formatChange, formatCount, formatDecimal, percent } from './format.js';

export const STOPPED = {
  settled: 'the answer was known',
  time: 'the time was up',
  generations: 'all generations ran',
  interrupted: 'interrupted',
  failed: 'failed',
} as const;

export const VERDICT_TONE: Readonly<Record<Verdict, Tone>> = {
  better: 'good',
  worse: 'bad',
  same: 'soft',
  unclear: 'unsure',
};

export const wrongBy = (chance: number): string =>
  `chance of being wrong: ${chance < 0.001 ? 'below 0.1' : percent(chance)} %`;

const timesOf = (ratio: number): string => `${Number(ratio.toPrecision(3))}×`;

/** A measure over pool sizes, cores and quota ruled in; without a format its values are ratios to the baseline. */
export function sizeCurve(
  title: string,
  points: Curve['points'],
  chosen: number | null,
  { cpu, limits }: Environment,
  format?: Curve['format'],
): Curve {
  const cores = cpu.effectiveCpus;
  const quota = limits.cpuQuotaCores;
  const rules = [
    { at: cores, label: formatCount(cores, 'core') },
    ...(quota === null || quota === cores ? [] : [{ at: quota, label: `quota ${formatDecimal(quota)}` }]),
  ];
  return { kind: 'curve', title, points, chosen, rules, isRatio: !format, format: format ?? timesOf };
}

export const NONE = '–';

export type Figure<Size> = readonly [column: Column, text: (size: Size) => string];

interface SizesTable<Size> {
  readonly caption: string;
  readonly sizes: readonly Size[];
  readonly baseline: number;
  readonly recommended: number | null;
  readonly time: Figure<Size>;
  readonly figures: readonly Figure<Size>[];
  ratioOf(size: Size): Ratio | null;
  verdictOf(size: Size): Cell;
}

export function sizesTable<Size extends { readonly size: number }>(table: SizesTable<Size>): Table {
  const { caption, sizes, baseline, recommended, time, figures, ratioOf, verdictOf } = table;
  const against = (size: Size): string => {
    const ratio = ratioOf(size);
    if (size.size === baseline) return 'baseline';
    return ratio === null ? NONE : formatChange(ratio.ratio, ratio.interval);
  };
  const known: readonly Figure<Size>[] = [time, [column(`against ${baseline}`, 'left'), against], ...figures];
  return {
    ...{ kind: 'table', caption },
    columns: [column('size'), ...known.map(([title]) => title), column('verdict', 'left')],
    rows: sizes.map((one) => {
      const size: Cell =
        one.size === recommended ? { text: String(one.size), tone: 'strong' } : String(one.size);
      return [size, ...known.map(([, text]) => text(one)), verdictOf(one)];
    }),
    chosen: sizes.findIndex(({ size }) => size === recommended),
  };
}
