import { usage } from '../errors.js';
import type { ReportDocument } from '../report/documents.js';
import { reportPage } from '../report/html/page.js';
import { readDocuments } from './result-files.js';

/** How a report is made; every option has a default. */
export interface ReportOptions {
  /** Of the page; by default `Thread pool report`. */
  readonly title?: string | undefined;
}

const MOST_DOCUMENTS = 500;

/**
 * One self-contained HTML page of results: verdicts first, then curves and tables. It loads nothing, works without
 * its script, and carries its data.
 *
 * @param files what the commands wrote with `--json`, packed by gzip or not; lists of them too.
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read, is damaged, foreign or empty, or no file at all.
 * @example
 * writeFileSync('report.html', report(['main.json', 'branch.json'], { title: 'Checkout service' }));
 */
export function report(files: readonly string[], { title }: ReportOptions = {}): string {
  if (files.length === 0) throw usage('report: give at least one result');
  const documents: ReportDocument[] = files.flatMap(readDocuments);
  if (documents.length > MOST_DOCUMENTS)
    throw usage(`report: at most ${MOST_DOCUMENTS} results go into a page, not ${documents.length}`);
  return reportPage(documents, title);
}
