import type { Environment } from '@plimsoll/lab';

/** One load of the pool: what the canaries read, and what the trace of the same seconds has. Waits in milliseconds. */
export interface Accuracy {
  readonly load: string;
  /** Share of the time that the pool's thread ran a job, from the trace. */
  readonly utilization: number;
  readonly seconds: number;
  readonly jobs: number;
  readonly canaries: number;
  /** Of the jobs of the program, from the trace. */
  readonly jobsMean: number;
  /** What a job would have waited that came at any time, on average, from the trace. */
  readonly exactMean: number;
  readonly monitorMean: number;
  /** Of the monitor's mean, by the number of canaries. */
  readonly standardError: number;
  readonly exactP99: number;
  readonly monitorP99: number;
}

/** A window of time in which the event loop was blocked, or not, over an idle pool. Milliseconds. */
export interface LoopWindow {
  readonly isBlocked: boolean;
  readonly loopBusy: number;
  readonly loopDelayMean: number;
  readonly canaries: number;
  readonly monitorMean: number;
  readonly monitorP99: number;
}

/** A window of time with the monitor on or off. */
export interface CostWindow {
  readonly isOn: boolean;
  /** CPU time by time, of the whole process. */
  readonly cores: number;
  readonly jobsPerSecond: number;
}

export interface Cost {
  readonly idle: readonly CostWindow[];
  readonly saturated: readonly CostWindow[];
  /** What enabling the monitor added after some seconds, in bytes. */
  readonly memory: Memory;
}

export interface Memory {
  /** All of the process's pages that are in memory, those of Node's own executable included. */
  readonly resident: number;
  /** Those that no file stands behind: nobody shares them. */
  readonly anonymous: number;
}

/** The live `plimsoll top` beside so many processes. */
export interface TopCost {
  readonly processes: number;
  readonly threads: number;
  /** CPU time by time, once it has started. */
  readonly cores: number;
  /** CPU time until then. */
  readonly startSeconds: number;
}

export interface MonitorResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'monitor';
  readonly effort: 'full' | 'quick';
  readonly startedAt: string;
  readonly seconds: number;
  readonly environment: Environment;
  readonly accuracy: readonly Accuracy[];
  readonly loop: readonly LoopWindow[];
  readonly cost: Cost;
  readonly top: readonly TopCost[];
}
