import { cellValue } from './cells.js';

/** A table as Markdown; its columns of numbers are set to the right. */
export function markdownOf(table: HTMLTableElement): string {
  const rows = [...table.rows].map((row) => [...row.cells].flatMap(cellsOf));
  const [head = [], ...body] = rows;
  const rule = head.map((_, column) => (isNumeric(body, column) ? '---:' : '---'));
  const lines = [head.map(escaped), rule, ...body.map((cells) => cells.map(escaped))];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

/** A cell that spans several columns leaves the others empty: Markdown knows no spans. */
function cellsOf(cell: HTMLTableCellElement): string[] {
  const text = (cell.textContent ?? '').replace(/\s+/g, ' ').trim();
  return [text, ...Array.from({ length: cell.colSpan - 1 }, () => '')];
}

const escaped = (text: string): string => text.replace(/[\\|<>`*_[\]]/g, '\\$&');

function isNumeric(rows: readonly (readonly string[])[], column: number): boolean {
  const values = rows.map((row) => cellValue(row[column] ?? '')).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}
