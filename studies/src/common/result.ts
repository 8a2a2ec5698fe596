import type { Environment } from 'plimsoll/lab';
import type { Contender, Effort, Metric } from './study.js';

export interface RunRecord {
  readonly contender: string;
  /** It is the baseline's second run in its block. */
  readonly twin: boolean;
  readonly block: number;
  readonly order: number;
  /** What the machine did meanwhile: steal, load of others. */
  readonly disturbances: readonly string[];
  /** Its block was run again because of such disturbances, or was not completed. */
  readonly superseded: boolean;
  /** `null`: it failed. */
  readonly metrics: Readonly<Record<string, number>> | null;
  readonly failure: string | null;
}

export interface ConditionResult {
  readonly id: string;
  readonly title: string;
  readonly contenders: readonly Contender[];
  readonly baseline: string;
  readonly metrics: readonly Metric[];
  readonly parameters: Readonly<Record<string, number>>;
  readonly blocks: number;
  readonly repeatedBlocks: number;
  readonly runs: readonly RunRecord[];
}

export interface StudyResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'study';
  readonly name: string;
  readonly effort: Effort;
  readonly startedAt: string;
  readonly seconds: number;
  readonly seed: number;
  readonly environment: Environment;
  /** By package. */
  readonly versions: Readonly<Record<string, string>>;
  readonly conditions: readonly ConditionResult[];
}

/** A contender's figures of one metric, in the order of the blocks; `twin` is the baseline's second run in each. */
export function figures({ runs }: ConditionResult, contender: string, metric: string): number[] {
  return runs
    .filter(({ superseded }) => !superseded)
    .filter((run) => (contender === 'twin' ? run.twin : !run.twin && run.contender === contender))
    .sort((a, b) => a.block - b.block)
    .map((run) => run.metrics?.[metric] ?? Number.NaN);
}

export function conditionOf({ conditions }: StudyResult, id: string): ConditionResult | undefined {
  return conditions.find((condition) => condition.id === id);
}
