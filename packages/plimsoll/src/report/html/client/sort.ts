import { compareCells } from './cells.js';

/** Headers of `<table data-sortable>` become buttons that sort its rows. */
export function sortableTables(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>('table[data-sortable]')) {
    const headers = [...(table.tHead?.rows[0]?.cells ?? [])];
    for (const header of headers) if (header.textContent.trim() !== '') makeSortable(table, headers, header);
  }
}

function makeSortable(
  table: HTMLTableElement,
  headers: readonly HTMLTableCellElement[],
  header: HTMLTableCellElement,
): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'sort';
  button.append(...header.childNodes);
  header.append(button);
  button.addEventListener('click', () => {
    const isDescending = header.ariaSort === 'ascending';
    for (const other of headers) other.removeAttribute('aria-sort');
    header.ariaSort = isDescending ? 'descending' : 'ascending';
    sort(table, header.cellIndex, isDescending ? -1 : 1);
  });
}

function sort(table: HTMLTableElement, column: number, direction: 1 | -1): void {
  for (const body of table.tBodies) {
    const rows = [...body.rows].map((row) => ({ row, text: row.cells[column]?.textContent ?? '' }));
    rows.sort((a, b) => compareCells(a.text, b.text, direction));
    body.append(...rows.map(({ row }) => row));
  }
}
