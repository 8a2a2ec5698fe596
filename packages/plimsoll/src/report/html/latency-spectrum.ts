import { escapeText } from './escape.js';
import { logScale, ticksBetween } from './size-axis.js';

interface Latency {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

interface Options {
  /** Unique in the page. */
  readonly id: string;
  readonly isOpen: boolean;
  readonly format: (ms: number) => string;
}

const [WIDTH, HEIGHT] = [480, 250];
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 60, 18, 34];
const MOST_SIZES = 8;
/** Shapes as well as hues. */
const SHAPES = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
  'M-4 -4h8v8h-8z',
  'M0 -5l5 9h-10z',
  'M0 -5l5 5l-5 5l-5 -5z',
  'M0 5l5 -9h-10z',
  'M-5 0h10M0 -5v10',
  'M-4 -4l8 8M-4 4l8 -8',
  'M-5 0h10',
];

/** Latency by percentile, all sizes overlaid; the axis stretches towards the tail as 1 / (1 − p) does. */
export function latencySpectrum(
  sizes: readonly { readonly size: number | null; readonly latency: Latency | null }[],
  { id, isOpen, format }: Options,
): string {
  const known = sizes.flatMap(({ size, latency }) =>
    latency === null || latency.count < 20 || latency.p50 <= 0 ? [] : [{ size, latency }],
  );
  if (known.length === 0) return '';
  const shown = known.slice(0, MOST_SIZES);
  const most = Math.max(...shown.map(({ latency }) => latency.count));
  const x = (rest: number): number =>
    LEFT + logScale(2, Math.max(most, 200))(1 / rest) * (WIDTH - LEFT - RIGHT);
  const values = shown.flatMap(({ latency }) => [latency.p50, latency.max]);
  const [low, high] = [Math.min(...values) / 1.1, Math.max(...values) * 1.1];
  const y = (ms: number): number => HEIGHT - BOTTOM - logScale(low, high)(ms) * (HEIGHT - TOP - BOTTOM);
  const title = isOpen
    ? 'Latency by percentile, open loop'
    : 'Latency by percentile, closed loop: clients that wait hide what an open loop shows';
  const labels = apart(shown.map(({ latency }) => y(latency.max)));
  const lines = shown.map(({ size, latency }, index) => {
    const places = [
      [x(0.5), y(latency.p50)],
      [x(0.05), y(latency.p95)],
      [x(0.01), y(latency.p99)],
      [x(1 / latency.count), y(latency.max)],
    ].filter(([at]) => (at as number) <= WIDTH - RIGHT + 1) as [number, number][];
    const name = size === null ? 'as it is' : String(size);
    const drawn = places.map(
      ([px, py]) => `<path class="mark" transform="translate(${n(px)} ${n(py)})" d="${SHAPES[index]}"/>`,
    );
    const label = labels[index] as number;
    return `<g class="series-${index}"><polyline points="${places.map(([px, py]) => `${n(px)},${n(py)}`).join(' ')}"/>${drawn.join('')}<text x="${WIDTH - RIGHT + 8}" y="${n(label + 4)}">${name}</text></g>`;
  });
  const ticks = ticksBetween(low, high).map(
    (ms) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${n(y(ms))}" y2="${n(y(ms))}"/><text class="tick" x="${LEFT - 8}" y="${n(y(ms) + 4)}" text-anchor="end">${escapeText(format(ms))}</text>`,
  );
  const names = [
    [0.5, 'p50'],
    [0.05, 'p95'],
    [0.01, 'p99'],
    [1 / most, 'max'],
  ] as const;
  const shownNames = names.filter(([rest, name]) => name !== 'max' || x(rest) - x(0.01) > 28);
  const percentiles = shownNames.map(
    ([rest, name]) =>
      `<text class="tick" x="${n(x(rest))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${name}</text>`,
  );
  const left = known.length - shown.length;
  const description = shown
    .map(
      ({ size, latency }) => `${size ?? 'as it is'}: p50 ${format(latency.p50)}, p99 ${format(latency.p99)}`,
    )
    .join('; ');
  return `<figure class="spectrum"><figcaption>${escapeText(title)}${left > 0 ? `; ${left} more sizes are in the table` : ''}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-t"><title id="${id}-t">${escapeText(`${title}. ${description}`)}</title>${ticks.join('')}${percentiles.join('')}${lines.join('')}</svg></figure>`;
}

const LINE = 13;

/** Labels at these heights, moved so far that none lies on another. */
function apart(heights: readonly number[]): number[] {
  const moved = [...heights];
  const order = heights.map((_, index) => index).toSorted((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  let last = TOP - LINE;
  for (const index of order) {
    last = Math.max(heights[index] ?? 0, last + LINE);
    moved[index] = last;
  }
  return moved;
}

const n = (value: number): string => String(Math.round(value * 10) / 10);
