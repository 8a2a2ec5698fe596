import { usage } from '../errors.js';
import { compareResults } from '../report/findings/compare.js';
import { reportPage } from '../report/html/page.js';
import type { BenchResult } from '../results/bench.js';
import type { Comparison } from '../results/comparison.js';
import type { OptionsOf } from './options.js';
import { readBenchResult, readDocuments } from './result-files.js';

export type ReportOptions = Pick<OptionsOf<'report'>, 'title'>;

const MOST_DOCUMENTS = 500;

/**
 * One self-contained HTML page of results: verdicts first, then curves and tables. It loads nothing.
 *
 * @param files what the commands wrote with `--json`, packed by gzip or not; lists of them too.
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read, is damaged, foreign or empty, or no file at all.
 * @example
 * writeFileSync('report.html', report(['main.json', 'branch.json'], { title: 'Checkout service' }));
 */
export function report(files: readonly string[], { title }: ReportOptions = {}): string {
  if (files.length === 0) throw usage('report: needs at least one result');
  const documents = files.flatMap(readDocuments);
  if (documents.length > MOST_DOCUMENTS)
    throw usage(`report: at most ${MOST_DOCUMENTS} results go into a page, not ${documents.length}`);
  return reportPage(documents, title);
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
