import type { SizedJob } from '../lab/child/serve.js';
import type { PoolEvent } from '../libuv/job.js';
import type { Target } from '../workloads/target.js';
import type { OperationName } from './operations.js';
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

/** What became of the operation when one thread was released, with a second such operation and then a quick job behind it. */
export interface Release {
  /** It went on before the quick job that stood behind it in the queue. */
  readonly firstServed: boolean;
  /** The quick job overtook the second operation: only slow I/O is served in that order (threadpool.c). */
  readonly overtaken: boolean;
}

export interface Observation {
  readonly outcome: 'completed' | 'failed' | 'pending';
  readonly error: OperationError | null;
  readonly ms: number | null;
  readonly whileBlocked: boolean;
  /** It was done before the event loop turned. */
  readonly synchronous: boolean;
  /** How long the thread of the event loop was this operation's, until it completed. */
  readonly busyMs: number;
  readonly callbacks: readonly string[];
  /** `null` when nothing was blocked, or when it did not come to that. */
  readonly release: Release | null;
}

export type ProbeAnswer =
  | { readonly type: 'observed'; readonly observation: Observation }
  | { readonly type: 'not-blocked' };

export interface DrawJob extends SizedJob {
  readonly subject: DrawSubject;
  readonly requests: number;
  readonly directory: string;
  readonly url: string;
  /** Names for lookups, and the port of a DNS server on 127.0.0.1 for resolve. */
  readonly names: readonly string[];
  readonly dnsPort: number;
}

/** What is known of one request. Times in milliseconds of `process.hrtime`, as the trace events have them. */
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
