import { escapeText } from './escape.js';
import { logScale, ticksBetween } from './size-axis.js';

export interface IntervalRow {
  readonly label: string;
  /** A ratio; 1 is no difference. */
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  readonly text: string;
}

const [HEIGHT, PAD] = [22, 0.04];

/** Ratios with their intervals under one another on a logarithmic axis, 1 ruled in. */
export function drawIntervals(rows: readonly IntervalRow[], caption: string): string {
  const known = rows.filter(({ value }) => value > 0 && Number.isFinite(value));
  if (known.length === 0) return '';
  const bounds = known
    .flatMap(({ value, interval }) => [value, ...(interval ?? [])])
    .filter((one) => one > 0);
  const scale = logScale(Math.min(1 / 1.05, ...bounds), Math.max(1.05, ...bounds));
  const x = (value: number): string => `${(100 * (PAD + scale(value) * (1 - 2 * PAD))).toFixed(2)}%`;
  const ticks = ticksBetween(Math.min(1 / 1.05, ...bounds), Math.max(1.05, ...bounds)).slice(0, 6);
  const one = `<line class="rule" x1="${x(1)}" x2="${x(1)}" y2="${HEIGHT}"/>`;
  const drawn = known.map(({ label, value, interval, text }) => {
    const [low, high] = interval ?? [value, value];
    return `<div class="interval-row"><span class="stack-label">${escapeText(label)}</span><svg width="100%" height="${HEIGHT}" role="img" aria-label="${escapeText(`${label}: ${text}`)}">${one}<line class="whisker" x1="${x(Math.max(low, Number.MIN_VALUE))}" x2="${x(high)}" y1="11" y2="11"/><circle class="estimate" cx="${x(value)}" cy="11" r="4.5"/></svg><span class="num">${escapeText(text)}</span></div>`;
  });
  const axis = ticks.map(
    (value) =>
      `<text class="tick" x="${x(value)}" y="12" text-anchor="middle">${Number(value.toPrecision(3))}</text>`,
  );
  return `<figure class="intervals"><figcaption>${escapeText(caption)}</figcaption>${drawn.join('\n')}
<div class="interval-row"><span></span><svg width="100%" height="16" aria-hidden="true">${axis.join('')}</svg><span></span></div></figure>`;
}
