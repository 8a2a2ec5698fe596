import type { ObservationJob } from '../lab/observe.js';
import type { PoolEvent } from '../libuv/job.js';
import type { Target } from '../workloads/target.js';
import type { OperationName } from './operations.js';

export type TimelineSubject =
  | { readonly kind: 'built-in'; readonly name: OperationName }
  | { readonly kind: 'target'; readonly target: Target };

/** What the parent asks of the process that it watches, over IPC. */
export interface TimelineJob extends ObservationJob {
  readonly subject: TimelineSubject;
  readonly requests: number;
  readonly directory: string;
  /** Where http requests go. */
  readonly url: string;
  /** Names for lookups, and the port of a DNS server on 127.0.0.1 for resolve. */
  readonly names: readonly string[];
  readonly dnsPort: number;
}

/** What is known of one request. Times in milliseconds of `process.hrtime`, as the trace events have them. */
export interface RequestRecord {
  readonly startedMs: number;
  readonly endedMs: number;
  /** When the thread of the event loop was this request's. */
  readonly ran: readonly (readonly [since: number, until: number])[];
  /** What it waited for outside the process: `socket`, `timer` … */
  readonly waits: readonly string[];
}

/** What the process answers. */
export type TimelineAnswer =
  | {
      readonly type: 'recorded';
      readonly observedThreads: number | null;
      readonly requests: readonly RequestRecord[];
      readonly events: readonly PoolEvent[];
    }
  | { readonly type: 'failed'; readonly name: string; readonly message: string };
