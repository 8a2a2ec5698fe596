import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CASES } from './cases/cases.js';
import { markdown } from './report/markdown.js';
import type { BenchPoolResult } from './result.js';

export const jsonBeside = (page: string): string => page.replace(/(\.md)?$/, '.json');

/** Write the page and its JSON. What was measured earlier in the same place stays on it, so that cases can be run apart. */
export function writePage(page: string, result: BenchPoolResult): void {
  const file = jsonBeside(page);
  const names = CASES.map(({ name }) => name);
  const whole = existsSync(file) ? merged(JSON.parse(readFileSync(file, 'utf8')), result, names) : result;
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(file, `${JSON.stringify(whole)}\n`);
  writeFileSync(page, markdown(whole, basename(file)));
}

/** Figures of another machine, or of another release of a contender, must not stand beside these. */
export const placeOf = ({ environment: { cpu }, versions }: BenchPoolResult): string =>
  JSON.stringify([cpu.model, cpu.effectiveCpus, versions]);

/** What was measured now, and what was measured earlier on the same node in the same place; in the order of the names. */
export function merged(
  earlier: BenchPoolResult,
  now: BenchPoolResult,
  names: readonly string[],
): BenchPoolResult {
  const isSame = earlier.environment.node.version === now.environment.node.version;
  if (!isSame || placeOf(earlier) !== placeOf(now)) return now;
  const all = [...now.cases, ...earlier.cases];
  return { ...now, cases: names.flatMap((name) => all.find((one) => one.name === name) ?? []) };
}
