import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CASES } from './cases/cases.js';
import { markdown } from './report/markdown.js';
import type { BenchPoolResult } from './result.js';

const jsonBeside = (page: string): string => page.replace(/(\.md)?$/, '.json');

/** Write the page and its JSON. What was measured earlier in the same place stays on it, so that cases can be run apart. */
export function writePage(page: string, result: BenchPoolResult): void {
  const file = jsonBeside(page);
  const whole = existsSync(file) ? merged(JSON.parse(readFileSync(file, 'utf8')), result) : result;
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(file, `${JSON.stringify(whole)}\n`);
  writeFileSync(page, markdown(whole, basename(file)));
}

/** Figures of another node, machine or release of a contender must not stand beside these. */
const place = ({ environment: { node, cpu }, versions }: BenchPoolResult): string =>
  JSON.stringify([node.version, cpu.model, cpu.effectiveCpus, versions]);

function merged(earlier: BenchPoolResult, now: BenchPoolResult): BenchPoolResult {
  if (place(earlier) !== place(now)) return now;
  const all = [...now.cases, ...earlier.cases];
  return {
    ...now,
    cases: CASES.flatMap(({ name }) => all.find((one) => one.name === name) ?? []),
  };
}
