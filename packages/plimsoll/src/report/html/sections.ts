import type { Environment } from '../../host/environment.js';
import type { BenchResult } from '../../results/bench.js';
import type { Classification } from '../../results/classification.js';
import type { Comparison } from '../../results/comparison.js';
import type { Timeline } from '../../results/timeline.js';
import type { TraceSummary } from '../../results/trace-summary.js';
import type { TuneResult } from '../../results/tune.js';
import { benchSection } from './of-bench.js';
import { classificationSection } from './of-classification.js';
import { comparisonSection } from './of-comparison.js';
import { traceSection } from './of-trace.js';
import { tuneSection } from './of-tune.js';
import type { Detail, Render, Section } from './section.js';

/** A document as it was read; one that is no command's comes with what draws it. */
export type ReportDocument =
  | { readonly type: 'tune'; readonly document: TuneResult }
  | { readonly type: 'bench'; readonly document: BenchResult }
  | { readonly type: 'trace'; readonly document: TraceSummary }
  | { readonly type: 'timeline'; readonly document: Timeline }
  | { readonly type: 'classification'; readonly document: Classification }
  | { readonly type: 'comparison'; readonly document: Comparison }
  | { readonly type: 'foreign'; readonly document: Foreign; readonly render: Render<Foreign> };

type Foreign = Readonly<Record<string, unknown>>;

/** With more results in a page, single rounds are not drawn. */
const MOST_WITH_ROUNDS = 12;

export function sectionsOf(documents: readonly ReportDocument[]): Section[] {
  const detail = { rounds: documents.length <= MOST_WITH_ROUNDS };
  return documents.flatMap((one, index) => sectionOf(one, `r${index + 1}`, detail) ?? []);
}

function sectionOf(one: ReportDocument, id: string, detail: Detail): Section | null {
  if (one.type === 'foreign') return one.render(one.document, id, detail);
  const { type, document } = one;
  switch (type) {
    case 'tune':
      return tuneSection(document, id, detail);
    case 'bench':
      return benchSection(document, id, detail);
    case 'trace':
      return traceSection(document, id, detail);
    case 'classification':
      return classificationSection(document, id, detail);
    case 'comparison':
      return comparisonSection(document, id, detail);
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
