import { ticks } from '../bars.js';
import type { Bars, Block, Cell, Part, Said, Section, Table } from '../document.js';
import { MARKS, PARTS, textOf, toneOf } from '../document.js';
import { drawCurve } from './curve.js';
import { type Html, html } from './escape.js';
import { drawFlame } from './flame.js';

/** A section as HTML; one of verdicts alone is left out, as they are at the top of the page. @param id unique in the page. */
export function drawSection({ title, aside, blocks }: Section, id: string): Html | null {
  if (blocks.every(({ kind }) => kind === 'verdicts')) return null;
  const curves = blocks.filter((block) => block.kind === 'curve');
  const drawings = curves.map((curve, at) => drawCurve(curve, `${id}-c${at + 1}`));
  const drawn = blocks
    .filter((block) => block.kind !== 'curve' || block === curves[0])
    .map((block) =>
      block.kind === 'curve' ? html`<div class="curves">${drawings}</div>` : drawBlock(block),
    );
  const more = aside === undefined ? null : html` <span class="aside">${aside}</span>`;
  return html`<section>${title === undefined ? null : html`<h3>${drawCell(title)}${more}</h3>`}
${drawn}</section>`;
}

const drawCell = (cell: Cell): Html =>
  toneOf(cell) === undefined
    ? html`${textOf(cell)}`
    : html`<span class="${toneOf(cell) ?? ''}">${textOf(cell)}</span>`;

function drawBlock(block: Block): Html {
  switch (block.kind) {
    case 'headline':
      return html`<p class="headline ${block.tone}">${block.text}</p>`;
    case 'note':
      return html`<p class="note ${block.tone ?? ''}">${block.text}</p>`;
    case 'findings':
      return findingList(block.findings);
    case 'names':
      return html`<dl>${block.groups.map(({ label, names }) => html`<dt>${label}</dt><dd>${names.join(', ')}</dd>`)}</dl>`;
    case 'table':
      return drawTable(block);
    case 'bars':
      return drawBars(block);
    case 'flame':
      return drawFlame(block.root, block.caption);
    case 'verdicts':
    case 'curve':
      return html``;
  }
}

const PAGE = 'https://github.com/plimsoll-js/plimsoll/blob/main/docs/reference/findings.md';

/** The anchor that GitHub gives to a heading `bench.noisy`. */
const anchorOf = (id: string): string => encodeURIComponent(id.toLowerCase().replace(/[^\w\- ]/g, ''));

function findingList(findings: readonly Said[]): Html {
  const items = findings.map(({ id, text, severity }) => {
    const link =
      id === undefined
        ? null
        : html` <a class="id" href="${PAGE}#${anchorOf(id)}" rel="noreferrer">${id}</a>`;
    return html`<li class="${severity}"><span class="sign" aria-hidden="true">${MARKS[severity]}</span><span>${text}${link}</span></li>`;
  });
  return html`<ul class="findings">${items}</ul>`;
}

/** Characters of a text that stays on one line. */
const LONGEST_LINE = 40;

function drawTable({ caption, columns, rows, chosen }: Table): Html {
  const visible = columns.flatMap((_, index) =>
    rows.some((row) => textOf(row[index] ?? '') !== '') ? [index] : [],
  );
  const classes = columns.map(({ align }, index) => {
    if (align === 'right') return 'num';
    return rows.some((row) => textOf(row[index] ?? '').length > LONGEST_LINE) ? 'long' : '';
  });
  const cellOf = (cell: Cell, index: number, scope: 'col' | 'row' | null): Html =>
    scope === null || textOf(cell) === ''
      ? html`<td class="${classes[index] ?? ''}">${drawCell(cell)}</td>`
      : html`<th scope="${scope}" class="${classes[index] ?? ''}">${drawCell(cell)}</th>`;
  const head = visible.map((index) => cellOf(columns[index]?.title ?? '', index, 'col'));
  const body = rows.map((row, at) => {
    const cells = visible.map((index) =>
      cellOf(row[index] ?? '', index, index === visible[0] ? 'row' : null),
    );
    return html`<tr class="${at === chosen ? 'chosen' : ''}">${cells}</tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** In percent of the width. What is narrower cannot be seen. */
const LEAST = 0.1;

function drawBars({ caption, rows, toMs }: Bars): Html {
  const percent = (ms: number): number => Number(((100 * ms) / toMs).toFixed(3));
  const used = new Set<Part>();
  const drawn = rows.map(({ label, stretches, time, note }) => {
    const rects = stretches.flatMap(({ part, fromMs, toMs: end }) => {
      const width = percent(end - fromMs);
      if (width < LEAST) return [];
      used.add(part);
      return [
        html`<rect class="part ${part}" x="${percent(fromMs)}%" width="${width}%" height="14"><title>${PARTS[part]}</title></rect>`,
      ];
    });
    return html`<div class="bar-row"><span class="num">${label}</span><svg width="100%" height="14" role="img" aria-label="${label}: ${time}, ${note}">${rects}</svg><span>${time} <small>${note}</small></span></div>`;
  });
  const legend = [...used].map(
    (part) =>
      html`<li><svg width="14" height="14" aria-hidden="true"><rect class="part ${part}" width="14" height="14"/></svg>${PARTS[part]}</li>`,
  );
  const axis = ticks(0, toMs, toMs / 6).map((ms) => {
    const x = percent(ms);
    return html`<text class="tick" x="${x}%" y="12" text-anchor="${x > 95 ? 'end' : 'start'}">${ms}${ms === 0 ? ' ms' : ''}</text>`;
  });
  return html`<figure class="bars" aria-label="${caption}"><ul class="legend">${legend}</ul>${drawn}
<div class="bar-row"><span></span><svg width="100%" height="16" aria-hidden="true">${axis}</svg><span></span></div></figure>`;
}
