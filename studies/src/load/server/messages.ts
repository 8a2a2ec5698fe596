import type { EventLoopDelay } from '@plimsoll/lab';
import type { OperationSpec } from '../operation-spec.js';

/** What a worker of the sample server is told through the variable PLIMSOLL_SERVER. */
export interface ServerJob {
  /** Socket of the process that started it; when that closes, the worker ends itself. */
  readonly control: string;
  readonly operation: OperationSpec;
  readonly operationsPerRequest: number;
  /** 0 for a free one. */
  readonly port: number;
  /** Pool size that was asked for; the operation of a user's module is told. */
  readonly size: number;
  /** Temporary directory; each worker makes its own inside. */
  readonly directory: string;
}

/** What a worker measured between `begin` and the end of its last operation. */
export interface WorkerMeasurement {
  readonly requests: number;
  /** Latency of each operation from the start of its request, in milliseconds. */
  readonly latenciesMs: readonly number[];
  readonly failures: number;
  readonly firstFailure: string | null;
  /** When each of them ended, in milliseconds since the epoch. */
  readonly endedAt: readonly number[];
  readonly cpuSeconds: number;
  readonly maxRssBytes: number;
  readonly eventLoopDelayMs: EventLoopDelay;
}

/** Worker to controller, one JSON text a line. */
export type WorkerMessage =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'ready'; readonly port: number; readonly observedThreads: number | null }
  | { readonly type: 'failed'; readonly code: string | null; readonly message: string }
  | { readonly type: 'measured'; readonly measurement: WorkerMeasurement };

/**
 * Controller to worker: count from now on; answer when the operations under way have ended, and count from then on; watch nothing
 * until the next `begin`, so that a server that waits for its turn uses no CPU.
 */
export type WorkerOrder = { readonly type: 'begin' | 'finish' | 'rest' };
