import type { Environment } from '../host/environment.js';
import type { TuneResult } from '../results/tune.js';
import type { JudgePlan, Sample } from './plan.js';

/** Something that happened meanwhile, with its numbers; `report/` says it in a sentence. */
export type TuneNote =
  /** The app sets UV_THREADPOOL_SIZE itself: it was started with `limit` threads, and larger sizes are out of reach. */
  | { readonly id: 'tune.app-sets-size'; readonly limit: number; readonly wanted: number }
  /** Sizes that were left out, and why. */
  | {
      readonly id: 'tune.sizes-left-out';
      readonly sizes: readonly number[];
      readonly because: 'memory' | 'pids' | 'limit';
      readonly limit: number;
    }
  /** The command of --on-port ended before the answer was known, and was started anew. */
  | { readonly id: 'tune.traffic-restarted'; readonly times: number }
  /** The client itself was too busy or too late. */
  | { readonly id: 'tune.traffic-limited'; readonly detail: string }
  /** One run is so long that the answer would take this many minutes. */
  | { readonly id: 'tune.needs-minutes'; readonly minutes: number }
  /** The old size was put back before the time was up, because something went wrong at `size`. */
  | {
      readonly id: 'tune.put-back';
      readonly size: number;
      readonly because: 'failures' | 'overload' | 'p99' | 'delay';
    };

/** What was done, told by whoever did it. */
export interface TuneFacts {
  readonly environment: Environment;
  readonly command: readonly string[] | null;
  readonly pid: number | null;
  readonly method: Pick<
    TuneResult['method'],
    'mode' | 'timeMs' | 'traffic' | 'resizing' | 'processes' | 'startedAt' | 'seconds' | 'stop'
  >;
  readonly notes: readonly TuneNote[];
}

/** What was measured; the sentences about it are composed above. */
export interface MeasuredTune extends Omit<TuneResult, 'headline' | 'findings'> {
  readonly notes: readonly TuneNote[];
}

/** Everything that the samples say, by the rules of `judge`. Pure. */
export function answer(_samples: readonly Sample[], _plan: JudgePlan, _facts: TuneFacts): MeasuredTune {
  throw new Error('soon');
}
