import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatDuration, type Guardian } from '@plimsoll/lab';
import { type ContenderName, contenderNamed } from './contenders.js';
import { installed, packPool } from './install.js';
import { installOf, type Row } from './matrix.js';
import type { Materials } from './project.js';
import type { Cell, RowResult } from './result.js';
import { type CellSurroundings, runCell } from './run-cell.js';

/** Most of a cell is a start of a process or two, and some time goes by in waiting: more than there are cores. */
const AT_ONCE = 3;

export interface MatrixPlan {
  readonly rows: readonly Row[];
  readonly installs: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly root: string;
  readonly nodeOfLine: (line: number) => string;
  readonly say: (step: string, text: string) => void;
}

interface Ready {
  readonly pool: Pick<Materials, 'tarball' | 'pool'>;
  readonly folders: ReadonlyMap<string, string>;
  readonly nodes: ReadonlyMap<number, { path: string; version: string }>;
}

/** Runs every cell of the rows. @returns what is whole, less than `rows` when interrupted. */
export async function runMatrix(plan: MatrixPlan, surroundings: CellSurroundings): Promise<RowResult[]> {
  const ready = prepare(plan, surroundings.guardian);
  const cells = plan.rows.flatMap((row) => row.contenders.map((contender) => ({ row, contender })));
  const results = new Map<Row, Partial<Record<ContenderName, Cell>>>(plan.rows.map((row) => [row, {}]));
  const started = performance.now();
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (;;) {
      const cell = cells[next++];
      if (cell === undefined || surroundings.signal.aborted) return;
      const outcome = await run(cell.row, cell.contender, ready, surroundings);
      if (surroundings.signal.aborted) return;
      Object.assign(results.get(cell.row) as object, { [cell.contender]: outcome });
      done++;
      const left = ((performance.now() - started) / done) * (cells.length - done);
      plan.say(
        String(done),
        progress(cell, outcome, `${done}/${cells.length}, ${formatDuration(left)} left`),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return plan.rows
    .filter((row) => row.contenders.every((name) => name in (results.get(row) as object)))
    .map((row) => rowResult(row, ready, results.get(row) as RowResult['cells']));
}

/** Everything that the cells share: our pool as packed, the installs, the binaries of Node. */
function prepare({ rows, installs, root, nodeOfLine, say }: MatrixPlan, guardian: Guardian): Ready {
  const cache = join(root, '.cache/setups');
  mkdirSync(cache, { recursive: true });
  const nodes = new Map(
    [...new Set(rows.map(({ line }) => line))].map((line) => {
      const path = nodeOfLine(line);
      return [line, { path, version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim() }];
    }),
  );
  const folders = new Map<string, string>();
  for (const name of new Set(rows.map(({ setup }) => installOf(setup)))) {
    say(`install ${name}`, `installing what "${name}" needs …`);
    folders.set(name, installed(installs.get(name) as Record<string, string>, cache));
  }
  const directory = guardian.temporaryDirectory();
  const tarball = packPool(root, directory);
  const pool = join(directory, 'unpacked');
  mkdirSync(pool);
  execFileSync('tar', ['-xzf', tarball, '-C', pool, '--strip-components=1']);
  return { pool: { tarball, pool }, folders, nodes };
}

function run(
  { setup, line }: Row,
  contender: ContenderName,
  { pool, folders, nodes }: Ready,
  surroundings: CellSurroundings,
): Promise<Cell> {
  const node = { path: (nodes.get(line) as { path: string }).path, line };
  const materials = { ...pool, install: folders.get(installOf(setup)) as string };
  return runCell({ setup, contender: contenderNamed(contender), node, materials }, surroundings);
}

const progress = (
  { row, contender }: { row: Row; contender: ContenderName },
  cell: Cell,
  left: string,
): string => `${left}  ${cell === null ? '✔' : '✖'} ${row.setup.name}, Node ${row.line}, ${contender}`;

const rowResult = ({ setup, line }: Row, { nodes }: Ready, cells: RowResult['cells']): RowResult => ({
  group: setup.group,
  name: setup.name,
  line,
  version: (nodes.get(line) as { version: string }).version,
  packages: setup.packages,
  cells,
});
