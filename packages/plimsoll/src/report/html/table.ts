import type { Column } from '../table.js';
import { escapeText } from './escape.js';

/** A cell that is set off: the best of its column, the recommended row. */
export const EMPHASIS = '\u0001';

export interface TableOptions {
  /** Unique in the page: the copy button names it. */
  readonly id: string;
  readonly caption: string;
  /** Index of the row that is recommended. */
  readonly chosen?: number | undefined;
}

/** Characters of a text that stays on one line. */
const LONGEST_LINE = 40;

/** A table as for the terminal, with every column: sorted and copied by the script, scrolled where it is too wide. */
export function htmlTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { id, caption, chosen }: TableOptions,
): string {
  const kept = columns
    .map((_, index) => index)
    .filter((index) => columns[index]?.title !== '' || index === 0);
  const longest = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const classOf = (index: number): string => {
    if (columns[index]?.align === 'right') return ' class="num"';
    return (longest[index] ?? 0) > LONGEST_LINE ? ' class="long"' : '';
  };
  const head = kept.map(
    (index) => `<th scope="col"${classOf(index)}>${escapeText(columns[index]?.title ?? '')}</th>`,
  );
  const body = rows.map((cells, at) => {
    const drawn = kept.map((index, place) => {
      const text = cells[index] ?? '';
      const isBest = text.startsWith(EMPHASIS);
      const shown = escapeText(isBest ? text.slice(1) : text);
      const inner = isBest ? `<b>${shown}</b>` : shown;
      return place === 0
        ? `<th scope="row"${classOf(index)}>${inner}</th>`
        : `<td${classOf(index)}>${inner}</td>`;
    });
    return `<tr${at === chosen ? ' class="chosen"' : ''}>${drawn.join('')}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escapeText(caption)}"><table id="${id}" data-sortable><caption>${escapeText(caption)}</caption>
<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>
<p class="tools"><button type="button" data-copy="${id}" hidden>Copy as Markdown</button></p>`;
}
