import type { TuneFacts, TuneNote } from './answer.js';
import type { JudgePlan, Sample } from './plan.js';

/** What was measured, by windows or by runs, and how it went. */
export interface Outcome extends Pick<TuneFacts['method'], 'processes' | 'resizing' | 'stop'> {
  readonly samples: readonly Sample[];
  readonly plan: JudgePlan;
  readonly notes: readonly TuneNote[];
}

/** Fresh processes of every size, none of which was resized. */
export const FRESH = { processes: null, resizing: null } as const;
