import type { SizedJob } from '../lab/child/serve.js';
import type { PoolEvent } from '../libuv/job.js';
import type { Target } from '../workloads/target.js';
import type { OperationContext, OperationName } from './operations.js';
import type { LocalServers } from './servers.js';

interface TargetSubject {
  readonly kind: 'target';
  readonly target: Target;
}

export type Subject = { readonly kind: 'entry'; readonly name: string } | TargetSubject;
export type DrawSubject = { readonly kind: 'built-in'; readonly name: OperationName } | TargetSubject;

export interface ProbeJob extends SizedJob {
  readonly subject: Subject;
  /** One FIFO per pool thread to block them all in open(2); none to leave the pool alone. */
  readonly fifos: readonly string[];
  readonly directory: string;
  readonly servers: LocalServers;
  /** How long the operation may take while the pool is blocked, in milliseconds. */
  readonly windowMs: number;
  readonly deadlineMs: number;
}

export interface OperationError {
  readonly name: string;
  readonly message: string;
}

/** What happened when one thread was released; a second such operation and then a quick job stood behind the first in the queue. */
export interface Release {
  /** The first operation continued before the quick job. */
  readonly firstServed: boolean;
  /** The quick job overtook the second operation: only slow I/O is served in that order (threadpool.c). */
  readonly overtaken: boolean;
}

export interface Observation {
  readonly outcome: 'completed' | 'failed' | 'pending';
  readonly error: OperationError | null;
  readonly ms: number | null;
  readonly whileBlocked: boolean;
  /** It completed before the event loop turned. */
  readonly synchronous: boolean;
  /** How long the event-loop thread worked for this operation until it completed. */
  readonly busyMs: number;
  readonly callbacks: readonly string[];
  /** `null` when nothing was blocked, or nothing had to be released. */
  readonly release: Release | null;
}

export type ProbeAnswer =
  | { readonly type: 'observed'; readonly observation: Observation }
  | { readonly type: 'not-blocked' };

export interface DrawJob extends SizedJob, OperationContext {
  readonly subject: DrawSubject;
  readonly requests: number;
}

/** One request. Times are milliseconds of `process.hrtime`, like those of trace events. */
export interface RequestRecord {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly ran: readonly (readonly [since: number, until: number])[];
  /** What it waited for outside the process: `socket`, `timer` … */
  readonly waits: readonly string[];
}

export type DrawAnswer =
  | {
      readonly type: 'recorded';
      readonly observedThreads: number | null;
      readonly requests: readonly RequestRecord[];
      readonly events: readonly PoolEvent[];
    }
  | ({ readonly type: 'failed' } & OperationError);
