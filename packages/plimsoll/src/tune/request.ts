import type { Output } from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import type { Objective } from './plan.js';
import type { TuneProgress } from './progress.js';
import type { TrafficSource } from './traffic/open.js';

/** What is to be found out; every value is checked already. */
export interface TuneRequest {
  readonly command: readonly string[];
  /** In ascending order, the baseline among them. */
  readonly sizes: readonly number[];
  readonly baseline: number;
  readonly objective: Objective;
  /** For the measurement itself: starting the app and waiting for the first request come on top. */
  readonly timeMs: number;
  /** null: whoever sends requests anyway. */
  readonly traffic: TrafficSource | null;
  readonly seed: number;
  readonly stdout: Output;
}

export interface TuneContext extends Supervision {
  readonly onProgress: (progress: TuneProgress) => void;
}
