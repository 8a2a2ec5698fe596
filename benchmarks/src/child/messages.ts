import type { ContenderName } from '../contenders/contenders.js';
import type { Effort } from '../support/effort.js';

/** What a measuring process is asked to do. */
export interface Job {
  readonly case: string;
  readonly contender: ContenderName;
  readonly effort: Effort;
}
