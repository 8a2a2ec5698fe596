import { stripVTControlCharacters } from 'node:util';
import { sum } from '../collections/sum.js';
import type { Column } from './document.js';

const GAP = '  ';

const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length;

const pad = (text: string, width: number, align: Column['align']): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? space + text : text + space;
};

/** Lines, the header first; without empty columns, and narrower than `width` as far as leaving columns out can achieve that. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  let visible = columns
    .map((_, index) => index)
    .filter((index) => rows.length === 0 || rows.some((row) => (row[index] ?? '') !== ''));
  const widths = columns.map((column, index) =>
    Math.max(widthOf(column.title), ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  const total = (): number =>
    sum(visible.map((index) => widths[index] as number)) + GAP.length * (visible.length - 1);
  while (total() > width) {
    const most = Math.max(...visible.map((index) => (columns[index] as Column).expendable));
    if (most === 0) break;
    const last = visible.findLast((index) => (columns[index] as Column).expendable === most);
    visible = visible.filter((index) => index !== last);
  }
  const line = (cells: readonly string[]): string =>
    visible
      .map((index) => pad(cells[index] ?? '', widths[index] as number, (columns[index] as Column).align))
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}

export function markdownTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => line(row.map((cell) => stripVTControlCharacters(cell).replaceAll('|', '\\|')))),
  ];
}

/** Spaces at which a line may break: not the one between a number and its unit. */
const BREAK = / (?!(?:%|m?s|min|MB)(?![\p{L}\d]))/u;

/** Break a text into lines of at most `width` characters, each after the first indented. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(BREAK)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) > width && line !== '') {
      lines.push(line);
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Lines of at most `width` characters, the items two spaces apart and whole. */
export function flow(items: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = lines.length === 0 ? item : `${lines.at(-1)}  ${item}`;
    if (widthOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(item);
  }
  return lines;
}
