import type { StudyResult } from './result.js';

/** `quick` proves that everything runs; its figures are for nobody's page. */
export type Effort = 'full' | 'quick';

/** One figure of a run. */
export interface Metric {
  readonly id: string;
  readonly title: string;
  readonly better: 'more' | 'less';
  /** Digits behind the point. */
  readonly digits: number;
}

/** One of the programs that are compared; `id` is what `program.ts` knows it by. */
export interface Contender {
  readonly id: string;
  readonly title: string;
}

/** One table: the same contenders under the same circumstances. */
export interface Condition {
  readonly id: string;
  readonly title: string;
  readonly contenders: readonly Contender[];
  /** Whom the others are compared with; it runs twice in every block. */
  readonly baseline: string;
  readonly metrics: readonly Metric[];
  /** What the program is told. */
  readonly parameters: Readonly<Record<string, number>>;
  /** What a run takes, roughly; several times as long and it counts as hung. */
  readonly expectedMs: number;
}

/** A study: what is measured, and what the page says of it. The programs themselves are in its `program.ts`. */
export interface Study {
  readonly name: string;
  readonly title: string;
  /** Markdown: the question, and how a run goes. */
  readonly description: readonly string[];
  /** Packages whose versions the page names. */
  readonly packages: readonly string[];
  conditions(effort: Effort): readonly Condition[];
  /** Markdown: what the figures say, beside what the article said. */
  findings(result: StudyResult): string[];
}

/** What a study's `program.ts` exports: one run of one contender, one number for each metric. */
export interface Program {
  run(contender: string, parameters: Readonly<Record<string, number>>): Promise<Run>;
}

export interface Run {
  readonly metrics: Record<string, number>;
  /** CPU seconds of processes that helped. */
  readonly helperCpuSeconds?: number;
}
