import { benchDocument } from './bench.js';
import { classificationDocument } from './classify.js';
import { comparisonDocument } from './compare.js';
import type { Report } from './document.js';
import { timelineDocument } from './timeline.js';
import { traceDocument } from './trace.js';
import { tuneDocument } from './tune.js';

type Makers = typeof MAKERS;

/** A document as it was read; one that is no command's comes with what makes a report of it. */
export type ReportDocument =
  | { [Type in keyof Makers]: Readonly<{ type: Type; document: Parameters<Makers[Type]>[0] }> }[keyof Makers]
  | { readonly type: 'foreign'; readonly document: Foreign; readonly report: (document: Foreign) => Report };

type Foreign = Readonly<Record<string, unknown>>;

const MAKERS = {
  tune: tuneDocument,
  bench: benchDocument,
  trace: traceDocument,
  timeline: timelineDocument,
  classification: classificationDocument,
  comparison: comparisonDocument,
} as const;

export const reportOf = (one: ReportDocument): Report =>
  one.type === 'foreign' ? one.report(one.document) : MAKERS[one.type](one.document as never);
