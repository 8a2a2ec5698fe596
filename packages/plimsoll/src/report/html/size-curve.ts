import { escapeText } from './escape.js';
import { logScale, type Scale, ticksBetween } from './size-axis.js';

export interface CurvePoint {
  readonly size: number;
  readonly value: number;
  /** Bounds of its interval or band; `null` when there is none. */
  readonly interval: readonly [number, number] | null;
  /** Each round, to be seen beside the estimate. */
  readonly rounds: readonly number[];
}

/** One measure over pool sizes. All values are above 0. */
export interface SizeCurve {
  /** Unique in the page. */
  readonly id: string;
  readonly title: string;
  /** What the picture shows, for who does not see it. */
  readonly description: string;
  readonly points: readonly CurvePoint[];
  readonly chosen: number | null;
  /** Vertical lines: cores, the quota. */
  readonly rules: readonly { readonly at: number; readonly label: string }[];
  /** Values that count as the same. */
  readonly same: readonly [number, number] | null;
  readonly format: (value: number) => string;
}

const [WIDTH, HEIGHT] = [480, 250];
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 16, 18, 34];
const MOST_ROUNDS = 24;

/** Time or latency over pool sizes, on logarithmic axes: estimates with their intervals, each round a dot. */
export function drawSizeCurve(curve: SizeCurve): string {
  const { id, title, description, points } = curve;
  if (points.length === 0) return '';
  const sizes = points.map(({ size }) => size);
  const across = logScale(Math.min(...sizes), Math.max(...sizes));
  const x: Scale = (size) => LEFT + 14 + across(size) * (WIDTH - LEFT - RIGHT - 28);
  const [least, most] = boundsOf(curve);
  const up = logScale(least, most);
  const y: Scale = (value) => HEIGHT - BOTTOM - clamp(up(value)) * (HEIGHT - TOP - BOTTOM);
  return `<figure class="curve"><figcaption>${escapeText(title)}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${escapeText(title)}</title><desc id="${id}-d">${escapeText(description)}</desc>
${sameZone(curve, y)}${grid(curve, [least, most], y)}${rules(curve, sizes, x)}${band(points, x, y)}${dots(points, x, y)}${whiskers(points, x, y)}${estimates(curve, x, y)}${sizeLabels(sizes, x)}</svg></figure>`;
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share));

/** The whiskers set the bounds; of rounds far outside only the direction is shown. */
function boundsOf({ points, same }: SizeCurve): [number, number] {
  const values = [
    ...points.flatMap(({ value, interval }) => [value, ...(interval ?? [])]),
    ...(same ?? []),
  ].filter((value) => value > 0);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? [least / 1.1, most * 1.1] : [least / 1.04, most * 1.04];
}

const n = (value: number): string => String(Math.round(value * 10) / 10);

function grid({ format }: SizeCurve, [least, most]: readonly [number, number], y: Scale): string {
  return ticksBetween(least, most)
    .map(
      (value) =>
        `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${n(y(value))}" y2="${n(y(value))}"/><text class="tick" x="${LEFT - 8}" y="${n(y(value) + 4)}" text-anchor="end">${escapeText(format(value))}</text>`,
    )
    .join('');
}

function sameZone({ same }: SizeCurve, y: Scale): string {
  if (same === null) return '';
  const [low, high] = same;
  return `<rect class="same" x="${LEFT}" width="${WIDTH - LEFT - RIGHT}" y="${n(y(high))}" height="${n(y(low) - y(high))}"/>`;
}

/** Only those between the sizes: others are told in the text. */
function rules({ rules: all }: SizeCurve, sizes: readonly number[], x: Scale): string {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return all
    .filter(({ at }) => at >= least && at <= most)
    .map(
      ({ at, label }) =>
        `<line class="rule" x1="${n(x(at))}" x2="${n(x(at))}" y1="${TOP - 4}" y2="${HEIGHT - BOTTOM}"/><text class="rule" x="${n(x(at) + 4)}" y="${TOP + 4}">${escapeText(label)}</text>`,
    )
    .join('');
}

function band(points: readonly CurvePoint[], x: Scale, y: Scale): string {
  const known = points.flatMap(({ size, interval }) => (interval === null ? [] : [{ size, interval }]));
  if (known.length < 2) return '';
  const upper = known.map(({ size, interval }) => `${n(x(size))},${n(y(interval[1]))}`);
  const lower = known.toReversed().map(({ size, interval }) => `${n(x(size))},${n(y(interval[0]))}`);
  return `<polygon class="band" points="${[...upper, ...lower].join(' ')}"/>`;
}

/** At most so many rounds of a size, evenly over the order in which they ran, beside one another: points of one path. */
function dots(points: readonly CurvePoint[], x: Scale, y: Scale): string {
  const drawn = points.flatMap(({ size, rounds }) => {
    const step = Math.max(1, rounds.length / MOST_ROUNDS);
    const shown = Array.from(
      { length: Math.min(rounds.length, MOST_ROUNDS) },
      (_, index) => rounds[Math.floor(index * step)],
    );
    return shown.map((value, index) => {
      const aside = shown.length < 2 ? 0 : (index / (shown.length - 1) - 0.5) * 16;
      return `M${n(x(size) + aside)} ${n(y(value as number))}h0`;
    });
  });
  return drawn.length === 0 ? '' : `<path class="round" d="${drawn.join('')}"/>`;
}

const whiskers = (points: readonly CurvePoint[], x: Scale, y: Scale): string =>
  points
    .flatMap(({ size, interval }) =>
      interval === null
        ? []
        : [
            `<path class="whisker" d="M${n(x(size))} ${n(y(interval[0]))}V${n(y(interval[1]))}M${n(x(size) - 4)} ${n(y(interval[0]))}h8M${n(x(size) - 4)} ${n(y(interval[1]))}h8"/>`,
          ],
    )
    .join('');

function estimates({ points, chosen, format }: SizeCurve, x: Scale, y: Scale): string {
  const line = points.map(({ size, value }) => `${n(x(size))},${n(y(value))}`).join(' ');
  const marks = points.map(({ size, value }) => {
    const at = `cx="${n(x(size))}" cy="${n(y(value))}"`;
    const title = `<title>${size}: ${escapeText(format(value))}</title>`;
    return size === chosen
      ? `<circle class="chosen" ${at} r="8"/><circle class="estimate" ${at} r="4">${title}</circle>`
      : `<circle class="estimate" ${at} r="4">${title}</circle>`;
  });
  return `<polyline class="line" points="${line}"/>${marks.join('')}`;
}

/** Labels that would touch the one before are left out. */
function sizeLabels(sizes: readonly number[], x: Scale): string {
  let last = Number.NEGATIVE_INFINITY;
  return [...new Set(sizes)]
    .toSorted((a, b) => a - b)
    .map((size) => {
      const isShown = x(size) - last > 22;
      if (isShown) last = x(size);
      return isShown
        ? `<text class="tick" x="${n(x(size))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${size}</text>`
        : '';
    })
    .join('');
}
