// `npm run test:setups`: arguments in, exit code out. 0 as expected, 1 something of ours does not work that must, 2 bad
// input, 130 interrupted.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  captureEnvironment,
  Guardian,
  interruptSignal,
  openJsonOutput,
  PlimsollError,
  ProgressLine,
} from '@plimsoll/lab';
import { type Arguments, HELP, readArguments } from './arguments.js';
import { PEERS } from './contenders.js';
import { complaints, merged } from './expectation.js';
import { SETUPS } from './groups/groups.js';
import { installsOf, rowsOf } from './matrix.js';
import { page, terminalTable } from './report.js';
import type { RowResult, SetupsResult } from './result.js';
import { runMatrix } from './run-matrix.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(root, 'docs/results/setups.md');
const EXPECTED = join(root, 'docs/results/setups.json');
const FAILURES = join(root, '.cache/setups/failures');

export async function main(argv: readonly string[], nodeOfLine: (line: number) => string): Promise<number> {
  try {
    const args = readArguments(argv);
    if (args !== null) return await run(args, nodeOfLine);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error;
    process.stderr.write(`test:setups: ${error.message}\n`);
    return error.exitCode;
  }
}

async function run(args: Arguments, nodeOfLine: (line: number) => string): Promise<number> {
  const rows = rowsOf(SETUPS, args);
  if (rows.length === 0)
    throw new PlimsollError('PLIMSOLL_USAGE', `no set-up matches ${args.filters.join(' ')}`);
  const json = openJsonOutput(args.json);
  const progress = new ProgressLine(process.stderr, false);
  const interrupt = interruptSignal();
  const guardian = new Guardian();
  rmSync(FAILURES, { recursive: true, force: true });
  try {
    const say = (step: string, text: string): void =>
      progress.show(step, (width) => text.slice(0, Math.max(width, 110)));
    const results = await runMatrix(
      { rows, installs: installsOf(SETUPS), root, nodeOfLine, say },
      { guardian, signal: interrupt.signal, failures: FAILURES, keep: args.keep },
    );
    progress.clear();
    const result = resultOf(results);
    json?.write(result);
    const people = args.json === '-' ? process.stderr : process.stdout;
    people.write(`${terminalTable(results, 160)}\n`);
    if (interrupt.signal.aborted) return 130;
    return conclude(result, args, people);
  } finally {
    progress.clear();
    await guardian.close();
    interrupt.dispose();
  }
}

const resultOf = (rows: readonly RowResult[]): SetupsResult => ({
  schema: 'plimsoll/1',
  kind: 'setups',
  measuredAt: new Date().toISOString(),
  environment: captureEnvironment({ directory: tmpdir() }),
  versions: { '@plimsoll/pool': version('packages/pool'), ...PEERS },
  rows,
});

const version = (folder: string): string =>
  (JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { version: string }).version;

function conclude(result: SetupsResult, { write }: Arguments, people: NodeJS.WriteStream): number {
  const expected = existsSync(EXPECTED) ? (JSON.parse(readFileSync(EXPECTED, 'utf8')) as SetupsResult) : null;
  const wrong = complaints(result.rows, expected);
  for (const text of wrong) people.write(`! ${text}\n`);
  if (wrong.length > 0) people.write(`The whole output of each cell that fails is in ${FAILURES}\n`);
  if (write) {
    const everything = rowsOf(SETUPS, { filters: [], only: null, fast: false });
    const keys = everything.map(({ setup: { group, name }, line }) => ({ group, name, line }));
    const whole = merged(result, expected, keys);
    writeFileSync(EXPECTED, `${JSON.stringify(whole, null, 1)}\n`);
    writeFileSync(PAGE, page(whole, basename(EXPECTED), SETUPS));
  }
  const failed = result.rows
    .flatMap(({ cells }) => Object.values(cells))
    .filter((cell) => cell !== null).length;
  const cells = result.rows.reduce((sum, row) => sum + Object.keys(row.cells).length, 0);
  people.write(`${cells - failed} of ${cells} cells work; ${wrong.length} of ours do not that must\n`);
  return wrong.length > 0 ? 1 : 0;
}
