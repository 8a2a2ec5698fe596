import type { ContenderName } from '../contenders/contenders.js';
import type { Effort } from '../support/effort.js';

/** What a measuring process is asked to do. */
export interface Job {
  readonly case: string;
  readonly contender: ContenderName;
  readonly effort: Effort;
}

/** How a run went; the first kind is what one hopes for. */
export type Outcome =
  | { readonly type: 'measured'; readonly metrics: Record<string, number>; readonly cpuSeconds: number }
  | { readonly type: 'cannot'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string };

export type Answer = { readonly type: 'started' } | Outcome;
