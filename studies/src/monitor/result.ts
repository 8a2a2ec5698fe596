import type { Environment } from 'plimsoll/lab';

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
  /** Bytes of resident memory before the monitor was enabled, and after some seconds. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
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
}
