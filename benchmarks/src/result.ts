import type { Environment } from '@plimsoll/lab';
import type { Estimate } from './common/estimate.js';
import type { ContenderName } from './contenders/contenders.js';
import type { Effort } from './support/effort.js';

export interface Run {
  readonly contender: ContenderName;
  /** It is the baseline's second run in its block. */
  readonly twin: boolean;
  readonly block: number;
  readonly order: number;
  /** What the machine did meanwhile: steal, load of others. */
  readonly disturbances: readonly string[];
  /** Its block was run again because of such disturbances. */
  readonly superseded: boolean;
  readonly metrics: Readonly<Record<string, number>> | null;
}

export interface Row {
  readonly contender: ContenderName;
  readonly title: string;
  /** Why there are no figures; `null` when there are. */
  readonly without: string | null;
  /** By metric, over the blocks. */
  readonly medians: Readonly<Record<string, number>>;
  /** By metric: as many times the baseline's; `null` for the baseline, or where nothing can be divided. */
  readonly times: Readonly<Record<string, Estimate | null>>;
}

export interface Reached {
  /** What was to be reached: `≥ 25 × piscina`. */
  readonly target: string;
  /** `null`: there is no figure. */
  readonly estimate: Estimate | null;
  /** Who the next best was, where it is about that one. */
  readonly rival: ContenderName | null;
  readonly met: boolean;
  /** The whole interval lies on the same side of the target as the estimate. */
  readonly certain: boolean;
}

export interface CaseResult {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effort: Effort;
  readonly measuredAt: string;
  readonly seconds: number;
  readonly seed: number;
  readonly blocks: number;
  readonly repeatedBlocks: number;
  /** The baseline's twin in times the baseline, by the first metric; how far apart equal things were measured. */
  readonly twin: Estimate | null;
  readonly rows: readonly Row[];
  readonly reached: readonly Reached[];
  readonly runs: readonly Run[];
}

export interface BenchPoolResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'bench-pool';
  readonly environment: Environment;
  /** By package. */
  readonly versions: Readonly<Record<string, string>>;
  readonly interrupted: boolean;
  readonly cases: readonly CaseResult[];
}
