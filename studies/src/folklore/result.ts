import type { BenchResult, Environment } from '@plimsoll/lab';
import type { StudyResult } from '../common/result.js';
import type { Effort } from '../common/study.js';

/** `null`: not observed, because this Node does not have it or the machine does not let us. */
export type Cell = string | number | null;

/** What was counted or seen: a row for each case, a cell for each version of Node. */
export interface Counted {
  /** What a cell says: pool threads, say. */
  readonly what: string;
  /** Versions of Node. */
  readonly nodes: readonly string[];
  readonly rows: readonly { readonly case: string; readonly cells: readonly Cell[] }[];
}

export interface ClaimResult {
  readonly id: string;
  /** `null` where the claim is about times, which are in `bench` and `reads`, or could not be observed. */
  readonly counted: Counted | null;
  /** Why it could not be observed here. */
  readonly skipped: string | null;
}

export interface FolkloreResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'folklore';
  readonly effort: Effort;
  readonly startedAt: string;
  readonly seconds: number;
  readonly environment: Environment;
  readonly claims: readonly ClaimResult[];
  /** Sizes against one thread per CPU; `null` when no claim about them was asked for. */
  readonly bench: BenchResult | null;
  /** `fs.readFile` and `fs.promises.readFile`; `null` when that was not asked for. */
  readonly reads: StudyResult | null;
}
