import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usage } from '@plimsoll/lab';
import { jsonBeside, merged, placeOf } from '../page.js';
import type { BenchPoolResult } from '../result.js';
import { SHAPE_CASES } from './case.js';
import { MEMORY_CASE } from './memory.js';
import { page } from './page.js';
import { README_BLOCK, readmeTable } from './readme.js';

const README = fileURLToPath(new URL('../../../packages/pool/README.md', import.meta.url));
const NAMES = [...SHAPE_CASES, MEMORY_CASE].map(({ name }) => name);

const lineOf = ({ environment }: BenchPoolResult): number => Number.parseInt(environment.node.version, 10);

/** @returns undefined: nothing has been measured yet. */
export function readResults(file: string): BenchPoolResult[] | undefined {
  const json = jsonBeside(file);
  return existsSync(json) ? (JSON.parse(readFileSync(json, 'utf8')) as BenchPoolResult[]) : undefined;
}

/** Write what was measured on one node, beside what was measured on others in the same place and with the same code. */
export function addResult(file: string, result: BenchPoolResult): void {
  const earlier = (readResults(file) ?? []).filter((one) => placeOf(one) === placeOf(result));
  const same = earlier.find((one) => lineOf(one) === lineOf(result));
  const whole = same === undefined ? result : merged(same, result, NAMES);
  const others = earlier.filter((one) => one !== same);
  writeResults(
    file,
    [...others, whole].sort((one, two) => lineOf(one) - lineOf(two)),
  );
}

function writeResults(file: string, results: readonly BenchPoolResult[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(jsonBeside(file), `${JSON.stringify(results, shortened)}\n`);
  writeFileSync(file, page(results, basename(jsonBeside(file))));
}

/** The page again, and the table of the README, out of what was measured. @throws {PlimsollError} when nothing was. */
export function writeReadme(file: string): void {
  const results = readResults(file);
  if (results === undefined) throw usage(`there is no ${jsonBeside(file)}: measure first`);
  writeResults(file, results);
  writeFileSync(README, README_BLOCK.replacedIn(readFileSync(README, 'utf8'), readmeTable(results)));
}

/** Four digits of what a single round measured: there are thousands of them. */
function shortened(key: string, value: unknown): unknown {
  if (key !== 'metrics' || value === null) return value;
  const metrics = value as Readonly<Record<string, number>>;
  return Object.fromEntries(
    Object.entries(metrics).map(([id, figure]) => [id, Number(figure.toPrecision(4))]),
  );
}
