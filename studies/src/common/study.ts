import type { Opened, Yield } from './answer-rounds.js';
import type { StudyResult } from './result.js';

/** `quick` proves that everything runs; its figures are for nobody's page. */
export type Effort = 'full' | 'quick';

/** One figure of a round. */
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
  /** It takes two turns in every block: the second is the A/A twin's. */
  readonly baseline: string;
  readonly metrics: readonly Metric[];
  /** What verdicts are for. Their intervals hold together; every other comparison is exploratory. */
  readonly judged: readonly Judged[];
  /** What the program is told. */
  readonly parameters: Readonly<Record<string, number>>;
  /** Time for all of it at full effort, in seconds. */
  readonly seconds: number;
  /** One process at a time, for one round: for what a process can show but once. Default: false. */
  readonly isolated?: boolean;
}

/** A comparison of two contenders by a metric. */
export type Judged = readonly [one: string, other: string, metric: string];

/** A study: what is measured, and what the page says of it. The programs themselves are in its `program.ts`. */
export interface Study {
  readonly name: string;
  readonly title: string;
  /** Markdown: the question, and how a round goes. */
  readonly description: readonly string[];
  /** Packages whose versions the page names. */
  readonly packages: readonly string[];
  /** Its rounds start programs whose CPU time it does not know, so the load of others cannot be told from theirs. */
  readonly startsPrograms?: boolean;
  /** Versions of programs that are no packages. @throws {PlimsollError} PLIMSOLL_USAGE when one is missing. */
  programs?(): Readonly<Record<string, string>>;
  /** Before anything is measured: what must be installed. */
  prepare?(signal: AbortSignal): Promise<void>;
  conditions(effort: Effort): readonly Condition[];
  /** Markdown: what the figures say, beside what the article said. */
  findings(result: StudyResult): string[];
}

/** What a study's `program.ts` exports: pools and servers are started and warmed up by `open`, and then measured round by round. */
export interface Program {
  open(contender: string, parameters: Readonly<Record<string, number>>): Promise<Opened>;
}

export type { Opened, Yield };
