import type { ContenderName } from './contenders.js';
import { type RowResult, type SetupsResult, sameRow } from './result.js';

const OURS: readonly ContenderName[] = ['plimsoll', 'plimsoll/piscina', 'plimsoll/tinypool'];

/**
 * What must not be: a row in which Piscina works and we do not, or a cell of ours that is expected to work and does not.
 *
 * @param expected the committed result. It also stands for the cells of Piscina that were not run.
 */
export function complaints(rows: readonly RowResult[], expected: SetupsResult | null): string[] {
  return rows.flatMap((row) => {
    const before = expected?.rows.find((one) => sameRow(one, row))?.cells ?? {};
    const piscina = row.cells.piscina === undefined ? before.piscina : row.cells.piscina;
    return OURS.flatMap((name) => {
      const why = row.cells[name];
      if (why === undefined || why === null) return [];
      const title = `${row.group} · ${row.name}, Node ${row.line}, ${name}`;
      if (before[name] === null) return [`${title}: worked before; now: ${why}`];
      return piscina === null ? [`${title}: Piscina works here: ${why}`] : [];
    });
  });
}

/** What a filtered or partial run leaves as it was expected. */
export function merged(
  now: SetupsResult,
  expected: SetupsResult | null,
  all: readonly RowKey[],
): SetupsResult {
  const known = [...now.rows, ...(expected?.rows ?? [])];
  const rows = all.flatMap((key) => {
    const [first, ...others] = known.filter((row) => sameRow(row, key));
    if (first === undefined) return [];
    return [{ ...first, cells: Object.assign({}, ...others.map(({ cells }) => cells), first.cells) }];
  });
  return { ...now, rows };
}

export type RowKey = Pick<RowResult, 'group' | 'name' | 'line'>;
