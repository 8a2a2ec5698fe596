import type { Environment, Stop } from '@plimsoll/lab';
import type { Condition, Effort } from './study.js';

/** What was measured in one generation: of each contender and of the `twin`, each metric, one number a block. */
export type GenerationColumns = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

export interface ConditionMethod {
  /** Live processes that take turns, or one process at a time for one round. */
  readonly mode: 'alternating' | 'isolated';
  /** Time that it was given, in seconds, and time that it took. */
  readonly seconds: number;
  readonly tookSeconds: number;
  /** Of a generation. */
  readonly blocks: number;
  readonly generations: number;
  readonly mostGenerations: number;
  /** Of each contender. */
  readonly rounds: number;
  readonly looks: number;
  readonly stop: Stop;
}

export interface ConditionResult extends Omit<Condition, 'seconds' | 'isolated'> {
  readonly method: ConditionMethod;
  /** Generations during which the machine had something else to do, and what. */
  readonly disturbances: readonly { readonly generation: number; readonly what: readonly string[] }[];
  /** Contenders that failed; the others went on without them. */
  readonly lost: readonly { readonly contender: string; readonly reason: string }[];
  /** Why the baseline, and with it all, ended early. */
  readonly failure: string | null;
  readonly generations: readonly GenerationColumns[];
  /** Where conditions of several runs stand beside one another. */
  readonly measured?: Pick<StudyResult, 'startedAt' | 'seed' | 'versions'>;
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

/** A contender's figures of one metric, generation by generation; `twin` is the baseline's second turn. */
export const figures = (
  { generations }: ConditionResult,
  contender: string,
  metric: string,
): (readonly number[])[] => generations.map((generation) => generation[contender]?.[metric] ?? []);

export const isLost = ({ lost }: ConditionResult, contender: string): boolean =>
  lost.some((one) => one.contender === contender);

/** Whether everything that was to be measured was. */
export const isWhole = ({ lost, failure }: ConditionResult): boolean => lost.length === 0 && failure === null;

export function conditionOf({ conditions }: StudyResult, id: string): ConditionResult | undefined {
  return conditions.find((condition) => condition.id === id);
}
