import type { Environment } from '../../host/environment.js';
import type { BenchResult } from '../../results/bench.js';
import type { Classification } from '../../results/classification.js';
import type { Comparison } from '../../results/comparison.js';
import type { LoadResult } from '../../results/load.js';
import type { Timeline } from '../../results/timeline.js';
import type { Trace } from '../../results/trace.js';
import type { TraceSummary } from '../../results/trace-summary.js';
import { jobTimelines } from './jobs/index.js';
import { benchSection } from './of-bench.js';
import { classificationSection } from './of-classification.js';
import { comparisonSection } from './of-comparison.js';
import { loadSection } from './of-load.js';
import { type StudyDocument, studySection } from './of-study.js';
import { traceSection } from './of-trace.js';
import type { Detail, Section } from './section.js';

/** A document as it was read; of a study only that it is a document of plimsoll. */
export type ReportDocument =
  | { readonly type: 'bench'; readonly document: BenchResult }
  | { readonly type: 'load'; readonly document: LoadResult }
  | { readonly type: 'trace'; readonly document: TraceSummary }
  | { readonly type: 'kept trace'; readonly document: Trace }
  | { readonly type: 'timeline'; readonly document: Timeline }
  | { readonly type: 'classification'; readonly document: Classification }
  | { readonly type: 'comparison'; readonly document: Comparison }
  | { readonly type: 'study'; readonly document: StudyDocument };

/** With more results in a page, single rounds are not drawn. */
const MOST_WITH_ROUNDS = 12;

/** Sections of all documents; timelines of jobs share sections, one for each operation or command. */
export function sectionsOf(documents: readonly ReportDocument[]): Section[] {
  const detail = { rounds: documents.length <= MOST_WITH_ROUNDS };
  const own = documents.flatMap((one, index) => sectionOf(one, `r${index + 1}`, detail) ?? []);
  const timelines = jobTimelines(
    documents.flatMap(({ type, document }) =>
      type === 'timeline' || type === 'kept trace' ? [document] : [],
    ),
  );
  return [
    ...own,
    ...timelines.map(({ title, html }, index) => ({
      id: `t${index + 1}`,
      title,
      kind: 'timeline of jobs',
      verdicts: [],
      body: html,
    })),
  ];
}

function sectionOf({ type, document }: ReportDocument, id: string, detail: Detail): Section | null {
  switch (type) {
    case 'bench':
      return benchSection(document, id, detail);
    case 'load':
      return loadSection(document, id, detail);
    case 'trace':
      return traceSection(document, id, detail);
    case 'classification':
      return classificationSection(document, id, detail);
    case 'comparison':
      return comparisonSection(document, id, detail);
    case 'study':
      return studySection(document, id, detail);
    default:
      return null;
  }
}

/** The machines of the documents that name theirs. */
export const environmentsOf = (documents: readonly ReportDocument[]): Environment[] =>
  documents.flatMap(({ document }) =>
    'environment' in document && isEnvironment(document.environment) ? [document.environment] : [],
  );

const isEnvironment = (value: unknown): value is Environment =>
  typeof value === 'object' && value !== null && ['node', 'cpu', 'filesystem'].every((part) => part in value);
