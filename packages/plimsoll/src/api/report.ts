import { usage } from '../errors.js';
import { compareResults } from '../report/findings/compare.js';
import { reportPage } from '../report/html/page.js';
import type { BenchResult } from '../results/bench.js';
import type { Comparison } from '../results/comparison.js';
import type { OptionsOf } from './options.js';
import { readBenchResult, readDocuments } from './result-files.js';

export type ReportOptions = Pick<OptionsOf<'report'>, 'title'>;

/**
 * One self-contained HTML page of results: verdicts first, then curves and tables. It loads nothing.
 *
 * @param files what the commands wrote with `--json`, or lists of it.
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read, is damaged, foreign or empty, or no file at all.
 * @example
 * writeFileSync('report.html', report(['main.json', 'branch.json'], { title: 'Checkout service' }));
 */
export function report(files: readonly string[], { title }: ReportOptions = {}): string {
  if (files.length === 0) throw usage('report: needs at least one result');
  return reportPage(files.flatMap(readDocuments), title);
}

/**
 * Compare two results of `plimsoll bench`, each a path of its JSON or the result itself: is the new one
 * slower, size by size?
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read or is no such result.
 * @example
 * const { verdict, rows } = compare('main.json', 'branch.json');
 * if (verdict !== 'same' && verdict !== 'better') console.log(rows);
 */
export const compare = (old: string | BenchResult, now: string | BenchResult): Comparison =>
  compareResults(resultOf(old), resultOf(now));

const resultOf = (source: string | BenchResult): BenchResult =>
  typeof source === 'string' ? readBenchResult(source) : source;
