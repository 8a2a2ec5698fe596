// `npm run check:features`: arguments in, exit code out. 0 as the page says, 1 something is not, 2 bad input, 130 interrupted.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { captureEnvironment, interruptSignal, PlimsollError } from '@plimsoll/lab';
import { installedVersions } from '../common/versions.js';
import { type Arguments, HELP, readArguments } from './arguments.js';
import { type Checked, check, problemsOf } from './check.js';
import { FEATURES } from './features.js';
import { POOL_NAMES, POOLS } from './pools/pools.js';
import { page, README_BLOCK, readmeTable } from './report.js';
import type { FeatureResult, FeaturesResult } from './result.js';

const fileOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const JSON_FILE = fileOf('docs/results/pool-features.json');
const PAGE = fileOf('docs/results/pool-features.md');
const README = fileOf('packages/pool/README.md');

async function main(args: Arguments): Promise<number> {
  const interrupt = interruptSignal();
  const started = performance.now();
  try {
    const checked = await check(args.cells, availableParallelism() + 1, interrupt.signal, say);
    if (interrupt.signal.aborted) return 130;
    return conclude(args, checked, (performance.now() - started) / 1000);
  } finally {
    interrupt.dispose();
  }
}

function say({ cell, outcome, error }: Checked): void {
  process.stdout.write(
    `${cell.feature}, ${cell.pool}: ${outcome?.answer ?? `FAILED: ${error?.message.split('\n')[0]}`}\n`,
  );
}

function conclude({ write }: Arguments, checked: readonly Checked[], seconds: number): number {
  const failed = checked.filter(({ error }) => error !== undefined);
  const before = existsSync(JSON_FILE)
    ? (JSON.parse(readFileSync(JSON_FILE, 'utf8')) as FeaturesResult)
    : undefined;
  const problems = failed.length > 0 || !write ? problemsOf(checked, before) : [];
  for (const problem of problems) process.stdout.write(`! ${problem}\n`);
  process.stdout.write(
    `${checked.length} cells in ${seconds.toFixed(0)} s; ${problems.length} not as docs/results says\n`,
  );
  if (problems.length > 0) return 1;
  if (write) writeResult(checked);
  return 0;
}

function writeResult(checked: readonly Checked[]): void {
  const outcomeOf = (pool: string, feature: string) =>
    checked.find(({ cell }) => cell.pool === pool && cell.feature === feature)?.outcome;
  const libraries = POOL_NAMES.map((pool) => POOLS[pool].library);
  const result: FeaturesResult = {
    schema: 'plimsoll/1',
    kind: 'pool-features',
    checkedAt: new Date().toISOString(),
    environment: captureEnvironment({ directory: tmpdir() }),
    versions: installedVersions(libraries, (name) => import.meta.resolve(name)),
    features: FEATURES.map(({ id }) => ({
      id,
      pools: Object.fromEntries(
        POOL_NAMES.map((pool) => [pool, outcomeOf(pool, id)]),
      ) as unknown as FeatureResult['pools'],
    })),
  };
  writeFileSync(JSON_FILE, `${JSON.stringify(result, null, 1)}\n`);
  writeFileSync(PAGE, page(result, basename(JSON_FILE)));
  writeFileSync(README, README_BLOCK.replacedIn(readFileSync(README, 'utf8'), readmeTable(result)));
}

try {
  const args = readArguments(process.argv.slice(2));
  if (args === null) process.stdout.write(HELP);
  else process.exitCode = await main(args);
} catch (error) {
  if (!(error instanceof PlimsollError)) throw error;
  process.stderr.write(`check:features: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
