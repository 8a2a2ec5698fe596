import { ticks } from '../bars.js';
import type { Curve } from '../document.js';
import { change } from '../format.js';
import { type Html, html } from './escape.js';

type Scale = (value: number) => number;

function logScale(least: number, most: number): Scale {
  const [from, to] = [Math.log2(least), Math.log2(most)];
  return (value) => (to === from ? 0.5 : (Math.log2(value) - from) / (to - from));
}

/** Round values between two bounds: 1, 2, 5, 10 …, and finer ones where the bounds are close together. */
function ticksBetween(least: number, most: number): number[] {
  const decades: number[] = [];
  for (let exponent = Math.floor(Math.log10(least)); exponent <= Math.ceil(Math.log10(most)); exponent++)
    decades.push(...[1, 2, 5].map((step) => step * 10 ** exponent));
  const inside = decades.filter((value) => value >= least && value <= most);
  if (inside.length > MOST_TICKS) return inside.filter((value) => /^1/.test(value.toExponential()));
  return inside.length >= 2 ? inside : ticks(least, most, (most - least) / 4);
}

const [WIDTH, HEIGHT] = [480, 250];
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 16, 24, 48];
const [MOST_TICKS, TICK_WIDTH, TEXT_WIDTH] = [6, 22, 50];
/** As `verdict` has it: within 3 % of the baseline is the same. */
const SAME = [0.97, 1.03] as const;

const n = (value: number): number => Math.round(value * 10) / 10;

/** Time or latency over pool sizes: estimates with their intervals. @param id unique in the page. */
export function drawCurve(curve: Curve, id: string): Html {
  const { title, points, chosen, rules, isRatio, format } = curve;
  const sizes = points.map(({ size }) => size);
  const [first, last] = [Math.min(...sizes), Math.max(...sizes)];
  const across = logScale(first, last);
  const x: Scale = (size) => n(LEFT + 28 + across(size) * (WIDTH - LEFT - RIGHT - 56));
  const [least, most] = boundsOf(curve);
  const up = logScale(least, most);
  const y: Scale = (value) => n(HEIGHT - BOTTOM - up(value) * (HEIGHT - TOP - BOTTOM));
  const known = points.flatMap(({ size, interval }) => (interval === null ? [] : [{ size, interval }]));
  const text = points.map(
    ({ size, value, text }) =>
      `${size} ${isRatio ? change(value) : format(value)}${text === undefined ? '' : ` (${text})`}`,
  );
  const same = html`<rect class="same" x="${LEFT}" width="${WIDTH - LEFT - RIGHT}" y="${y(SAME[1])}" height="${n(y(SAME[0]) - y(SAME[1]))}"/>`;
  const grid = ticksBetween(least, most).map(
    (value) =>
      html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"/><text class="tick" x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${format(value)}</text>`,
  );
  // Rules beside the sizes are told in the text.
  const lines = rules
    .filter(({ at }) => at >= first && at <= last)
    .map(
      ({ at, label }) =>
        html`<line class="rule" x1="${x(at)}" x2="${x(at)}" y1="${TOP - 4}" y2="${HEIGHT - BOTTOM}"/><text class="rule" x="${x(at) + 4}" y="${TOP + 4}">${label}</text>`,
    );
  const labels = spaced(points, x, TICK_WIDTH, chosen).map(
    ({ size }) =>
      html`<text class="tick" x="${x(size)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${size}</text>`,
  );
  const whiskers = known.map(
    ({ size, interval: [low, high] }) =>
      html`<path class="whisker" d="M${x(size)} ${y(low)}V${y(high)}M${x(size) - 4} ${y(low)}h8M${x(size) - 4} ${y(high)}h8"/>`,
  );
  const texts = spaced(points, x, TEXT_WIDTH, chosen).map(({ size, value, interval, text }) => {
    const top = y(Math.max(value, interval?.[1] ?? value)) - (size === chosen ? 12 : 8);
    return html`<text class="recorded" x="${x(size)}" y="${top}" text-anchor="middle">${text ?? format(value)}</text>`;
  });
  const axis = html`<text class="tick" x="${WIDTH - RIGHT}" y="${HEIGHT - 6}" text-anchor="end">pool threads; both axes are logarithmic</text>`;
  const marks = points.map(({ size, value }) => {
    const ring =
      size === chosen ? html`<circle class="chosen" cx="${x(size)}" cy="${y(value)}" r="8"/>` : null;
    return html`${ring}<circle class="estimate" cx="${x(size)}" cy="${y(value)}" r="4"><title>${size}: ${format(value)}</title></circle>`;
  });
  return html`<figure class="curve"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${title}</title><desc id="${id}-d">${title}: ${text.join(', ')}</desc>
${isRatio ? same : null}${grid}${lines}${whiskers}<polyline class="line" points="${points.map(({ size, value }) => `${x(size)},${y(value)}`).join(' ')}"/>${marks}${labels}${texts}${axis}</svg></figure>`;
}

function boundsOf({ points, isRatio }: Curve): [number, number] {
  const values = [
    ...points.flatMap(({ value, interval }) => [value, ...(interval ?? [])]),
    ...(isRatio ? SAME : []),
  ].filter((value) => value > 0);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? [least / 1.1, most * 1.1] : [least / 1.04, most * 1.04];
}

function spaced<Point extends { readonly size: number }>(
  points: readonly Point[],
  x: Scale,
  least: number,
  chosen: number | null,
): Point[] {
  const shown: Point[] = [];
  for (const point of [...points.filter(({ size }) => size === chosen), ...points])
    if (shown.every(({ size }) => Math.abs(x(size) - x(point.size)) > least)) shown.push(point);
  return shown;
}
