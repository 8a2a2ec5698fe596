import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CITIES = ['Amsterdam', 'Berlin', 'Cork', 'Dundee', 'Espoo', 'Florence', 'Ghent', 'Hull'];
const SEED = 25_000;

/** Writes a CSV file of so many lines below its header, the same ones every time. Returns its path. */
export function writeCsv(lines: number): string {
  let state = SEED;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const rows = Array.from({ length: lines }, (_, id) => {
    const city = CITIES[next(CITIES.length)];
    const note = `"ordered ${next(40)} times, ""last"" on day ${next(365)}"`;
    return `${id},customer ${next(100_000)},${city},${next(1e6) / 100},${next(2) === 1},${note}`;
  });
  const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-csv-')), 'orders.csv');
  writeFileSync(file, `id,name,city,amount,paid,note\n${rows.join('\n')}\n`);
  return file;
}
