import type { TunedSize, TuneResult } from '../results/tune.js';
import { sizeIn } from './findings/tune.js';
import { change, formatChange, formatDecimal, formatMs, formatRate } from './format.js';
import { intervalPlot } from './interval-plot.js';
import type { Column } from './table.js';

const PLOT_WIDTH = 25;
const NONE = '–';

type Shown = Pick<TuneResult, 'sizes' | 'baseline' | 'objective' | 'recommended' | 'method' | 'twin'>;

interface Field extends Column {
  readonly text: (size: TunedSize) => string;
}

/** The columns and rows of the sizes; `plot` adds the intervals as a picture. */
export function tuneTable(result: Shown, plot: boolean): { columns: Column[]; rows: string[][] } {
  const fields = fieldsOf(result, plot);
  return { columns: fields, rows: result.sizes.map((size) => fields.map(({ text }) => text(size))) };
}

const ms = (value: number | null): string => (value === null ? NONE : formatMs(value));

function fieldsOf(result: Shown, plot: boolean): Field[] {
  const { baseline, objective, method, sizes } = result;
  const field = (
    title: string,
    text: Field['text'],
    expendable: number,
    align: Column['align'] = 'right',
  ): Field => ({
    title,
    align,
    expendable,
    text,
  });
  const ratios = sizes
    .flatMap((size) => [size.ratio[objective], ...(size.interval ?? [])])
    .filter((one) => one !== null);
  const picture = intervalPlot(ratios, PLOT_WIDTH);
  const row = (size: TunedSize): string => {
    const ratio = size.ratio[objective];
    return ratio === null ? '' : picture.row(ratio, size.interval ?? [ratio, ratio]);
  };
  const known = (text: Field['text']): boolean => sizes.some((size) => text(size) !== NONE);
  const isRun = method.unit === 'run';
  const all: Field[] = [
    field('size', ({ size }) => String(size), 0),
    field(isRun ? 'time' : 'mean', ({ meanMs }) => ms(meanMs), 0),
    field(`against ${baseline}`, (size) => against(size, result), 0, 'left'),
    ...(plot ? [field('', row, 5, 'left')] : []),
    field('p99', ({ p99Ms }) => ms(p99Ms), 2),
    ...(isRun ? [] : [field('requests/s', ({ perSecond }) => formatRate(perSecond), 1)]),
    field('loop delay', ({ loopDelayMs }) => ms(loopDelayMs?.p99 ?? null), 3),
    field('jobs wait', ({ queueWaitMs }) => ms(queueWaitMs.fast), 4),
    field('lookups wait', ({ queueWaitMs }) => ms(queueWaitMs.slow), 6),
    field('busy threads', ({ busyThreads }) => (busyThreads === null ? NONE : formatDecimal(busyThreads)), 8),
    field('cores', ({ cpu }) => (cpu.cores === null ? NONE : formatDecimal(cpu.cores)), 7),
    field(isRun ? 'runs' : 'requests', ({ requests }) => String(requests), 9),
    field('verdict', (size) => verdictText(size, result), 0, 'left'),
  ];
  return all.filter(({ title, text }) => title === 'size' || title === '' || known(text));
}

function against(size: TunedSize, { baseline, objective }: Shown): string {
  if (size.size === baseline) return 'baseline';
  const ratio = size.ratio[objective];
  if (ratio === null) return NONE;
  return size.interval === null ? change(ratio) : formatChange(ratio, size.interval);
}

/** Before the fourth block the word is `estimate`: `unclear` would sound as if more had been tried. */
function verdictText(size: TunedSize, { baseline, twin }: Shown): string {
  if (size.overloaded) return 'overloaded';
  if (size.failing) return 'failing';
  if (size.size === baseline) return '';
  if (twin?.noisy) return 'noisy';
  const verdict = size.verdict === 'unclear' && size.interval === null ? 'estimate' : size.verdict;
  return size.leftEarly ? (verdict === 'unclear' ? 'out' : `${verdict}, out`) : verdict;
}

const MOST_ROUTES = 10;

/** Routes at the recommended size beside the baseline, the most frequent first; none where there is nothing to compare. */
export function routeTable(result: Shown): { columns: Column[]; rows: string[][] } | null {
  const chosen = sizeIn(result, result.recommended);
  const base = sizeIn(result, result.baseline);
  if (chosen === undefined || base === undefined || chosen === base || chosen.routes.length < 2) return null;
  const rows = chosen.routes.slice(0, MOST_ROUTES).map(({ route, requests, meanMs, ratio, slower }) => {
    const before = base.routes.find((other) => other.route === route);
    const by = ratio === null ? 'too few requests' : change(ratio);
    return [
      route,
      String(requests),
      ms(before?.meanMs ?? null),
      formatMs(meanMs),
      slower === 'maybe' ? `${by}, not certain` : by,
    ];
  });
  return {
    columns: [
      { title: 'route', align: 'left', expendable: 0 },
      { title: 'requests', align: 'right', expendable: 1 },
      { title: `mean at ${base.size}`, align: 'right', expendable: 0 },
      { title: `at ${chosen.size}`, align: 'right', expendable: 0 },
      { title: 'change', align: 'left', expendable: 0 },
    ],
    rows,
  };
}
