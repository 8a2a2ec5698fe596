import { benchDocument } from './bench.js';
import { classificationDocument } from './classify.js';
import { comparisonDocument } from './compare.js';
import { diagnosisDocument } from './doctor.js';
import type { Report } from './document.js';
import { markdown } from './markdown.js';
import { resizeDocument } from './resize.js';
import type { Style } from './style.js';
import { terminal } from './terminal.js';
import { timelineDocument } from './timeline.js';
import { traceDocument } from './trace.js';
import { tuneDocument } from './tune.js';

const MAKERS = {
  bench: benchDocument,
  classification: classificationDocument,
  comparison: comparisonDocument,
  diagnosis: diagnosisDocument,
  resize: resizeDocument,
  timeline: timelineDocument,
  trace: traceDocument,
  tune: tuneDocument,
} as const;

export type Result = Parameters<(typeof MAKERS)[keyof typeof MAKERS]>[0];

export const reportOf = (result: Result): Report => MAKERS[result.kind](result as never);

/**
 * A result as its command prints it.
 *
 * @example
 * console.log(reportText(await bench({ workloads: ['crypto'] }), plainStyle()));
 */
export const reportText = (result: Result, style: Style): string => terminal(reportOf(result), style);

/**
 * A result as Markdown, for an issue or the comment of a pull request.
 *
 * @example
 * writeFileSync('comment.md', reportMarkdown(result));
 */
export const reportMarkdown = (result: Result): string => markdown(reportOf(result));
