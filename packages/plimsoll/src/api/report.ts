import { usage } from '../errors.js';
import { reportPage } from '../report/html/page.js';
import type { OptionsOf } from './options.js';
import { readDocuments } from './result-files.js';

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
