import type { BenchResult } from '../results/bench.js';
import type { Classification } from '../results/classification.js';
import type { Comparison } from '../results/comparison.js';
import type { Timeline } from '../results/timeline.js';
import type { TraceSummary } from '../results/trace-summary.js';
import type { TuneResult } from '../results/tune.js';
import { benchDocument } from './bench.js';
import { classificationDocument } from './classify.js';
import { comparisonDocument } from './compare.js';
import type { Report } from './document.js';
import { timelineDocument } from './timeline.js';
import { traceDocument } from './trace.js';
import { tuneDocument } from './tune.js';

/** A document as it was read; one that is no command's comes with what makes a report of it. */
export type ReportDocument =
  | { readonly type: 'tune'; readonly document: TuneResult }
  | { readonly type: 'bench'; readonly document: BenchResult }
  | { readonly type: 'trace'; readonly document: TraceSummary }
  | { readonly type: 'timeline'; readonly document: Timeline }
  | { readonly type: 'classification'; readonly document: Classification }
  | { readonly type: 'comparison'; readonly document: Comparison }
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
