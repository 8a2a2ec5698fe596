import { type Bar, CAUSES, type Cause } from '../flame.js';
import { formatMs, percent } from '../format.js';
import { type Html, html } from './escape.js';

const ROW = 24;
/** In percent of the width. What is narrower cannot be seen. */
const LEAST = 0.15;
/** A text in less would be no word, on a wide screen and on a narrow one. */
const LEAST_TEXT = { wide: 2, narrow: 12 };

/** The graph from the root down. Bars are as wide as they waited; the cause has a colour. No script: `title` tells the rest. */
export function drawFlame(root: Bar, caption: string): Html {
  const bars: Html[] = [];
  const used = new Set<Cause>();
  const width = (ms: number): number => Number(((100 * ms) / root.ms).toFixed(3));
  let depth = 0;
  const draw = (bar: Bar, at: number, row: number): void => {
    const wide = width(bar.ms);
    if (wide < LEAST) return;
    depth = Math.max(depth, row + 1);
    if (bar.cause !== null) used.add(bar.cause);
    const label = `${bar.name}: ${formatMs(bar.ms)}, ${percent(bar.ms / root.ms)} %`;
    const text = wide < LEAST_TEXT.wide ? null : html`<text x="5" y="16">${bar.name}</text>`;
    bars.push(
      html`<svg class="${wide < LEAST_TEXT.narrow ? 'thin' : ''}" x="${width(at)}%" y="${row * ROW}" width="${wide}%" height="${ROW}"><title>${label}</title><rect class="${bar.cause ?? 'frame'}" width="100%" height="${ROW}"/>${text}</svg>`,
    );
    let from = at;
    for (const under of [...bar.under.values()].sort((a, b) => b.ms - a.ms)) {
      draw(under, from, row + 1);
      from += under.ms;
    }
  };
  draw(root, 0, 0);
  const legend = (Object.keys(CAUSES) as Cause[])
    .filter((cause) => used.has(cause))
    .map(
      (cause) =>
        html`<li><svg class="flame" width="14" height="14" aria-hidden="true"><rect class="${cause}" width="14" height="14"/></svg>${CAUSES[cause]}</li>`,
    );
  return html`<figure><figcaption>${caption}: ${formatMs(root.ms)}</figcaption><ul class="legend">${legend}</ul>
<svg class="flame" width="100%" height="${depth * ROW}" role="img" aria-label="${caption}">${bars}</svg></figure>`;
}
