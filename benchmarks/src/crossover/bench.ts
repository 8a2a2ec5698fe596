import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { captureEnvironment, interruptSignal, ProgressLine, readOptions } from '@plimsoll/lab';
import { AMOUNT_OPTIONS, type Amount, readAmount } from '../arguments.js';
import { installedVersions } from '../common/versions.js';
import { jsonBeside } from '../page.js';
import { ARMS, RIVALS, TITLES } from './arms.js';
import { CELLS, VALUES } from './cells.js';
import { crossoverOf } from './compare.js';
import { runContest } from './contest.js';
import { type CrossoverResult, page } from './page.js';
import { picture } from './picture.js';
import { crossoverText } from './words.js';

const PAGE = 'docs/results/pool-crossover.md';
const BLOCKS = { full: 12, quick: 3, smoke: 1 };

export const HELP = `npm run bench:pool -- crossover [options]

From which length of tasks on, and for which values, two workers are faster than the main thread by itself: this pool,
Piscina and child processes. About four minutes.

  --blocks N     windows of each in every cell (default: ${BLOCKS.full}; six are needed for intervals of 95 %)
  --quick        ${BLOCKS.quick} blocks: estimates in a minute, which the page says
  --effort E     full, quick, smoke
  --page FILE    the page to write (default: ${PAGE}); its JSON lies beside it, its picture in ../pictures
  --seed N       seed of the order of the windows (default: random)
`;

const OPTIONS = {
  ...AMOUNT_OPTIONS,
  page: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** `npm run bench:pool -- crossover`. @returns its exit code. @throws {PlimsollError} PLIMSOLL_USAGE */
export async function benchCrossover(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, OPTIONS);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const amount = readAmount(values);
  const blocks = values.blocks === undefined ? BLOCKS[amount.effort] : amount.blocks;
  const result = await measure({ ...amount, blocks });
  if (result === undefined) return 130;
  for (const { name } of VALUES)
    process.stdout.write(
      `${name.padEnd(8)}${RIVALS.map((rival) => `${TITLES[rival]}: ${crossoverText(crossoverOf(result.cells, name, rival))}`).join('   ')}\n`,
    );
  write(values.page ?? PAGE, result);
  return 0;
}

/** undefined: interrupted. */
async function measure(amount: Amount): Promise<CrossoverResult | undefined> {
  const environment = captureEnvironment({ directory: tmpdir() });
  const versions = installedVersions(['@plimsoll/pool', 'piscina'], (name) => import.meta.resolve(name), [
    '@plimsoll/pool',
  ]);
  const line = new ProgressLine(process.stderr, false);
  const interrupt = interruptSignal();
  const begin = performance.now();
  const all = CELLS.length * ARMS.length * amount.blocks;
  let windows = 0;
  try {
    const cells = await runContest(amount, interrupt.signal, () => {
      windows++;
      line.show('crossover', () => `crossover: ${windows} of ${all} windows`);
    });
    const seconds = (performance.now() - begin) / 1000;
    const { effort, blocks } = amount;
    return {
      schema: 'plimsoll/1',
      kind: 'pool-crossover',
      environment,
      versions,
      effort,
      blocks,
      seconds,
      cells,
    };
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    return undefined;
  } finally {
    line.clear();
    interrupt.dispose();
  }
}

function write(file: string, result: CrossoverResult): void {
  const json = jsonBeside(file);
  const image = join(dirname(file), '../pictures', `${basename(file, '.md')}.svg`);
  for (const path of [file, image]) mkdirSync(dirname(path), { recursive: true });
  const short = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(5)) : value;
  writeFileSync(
    json,
    `${JSON.stringify({ ...result, cells: undefined }).slice(0, -1)},"cells":${JSON.stringify(result.cells, short)}}\n`,
  );
  writeFileSync(image, picture(result.cells));
  const shown = relative(dirname(file), image).split(sep).join('/');
  writeFileSync(file, page(result, { json: basename(json), picture: shown }));
}
