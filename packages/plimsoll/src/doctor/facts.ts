import type { Evidence } from '../host/process-pool.js';
import { poolSizeOf } from '../libuv/pool-size.js';

export interface ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  readonly script: string | null;
  /** Versions; `null` for a process that was looked at from outside. */
  readonly node: string | null;
  readonly libuv: string | null;
  readonly platform: NodeJS.Platform;
  readonly initial: string | null;
  /** The same when the process was asked; `null` too where only its start is known. */
  readonly current: string | null;
  /** Pool threads that were counted; `null` if they cannot be counted, or no job used the pool. */
  readonly threads: number | null;
  /** How; `preload`: by the examined process itself. `null` where nothing tells. */
  readonly countedBy: Evidence | 'preload' | null;
  /** Whose job made libuv create the threads; `nobody` when the process ended without one. */
  readonly usedBy: 'app' | 'doctor' | 'nobody' | 'unknown';
  /** What os.availableParallelism() says there; `null` when it was not asked. */
  readonly availableParallelism: number | null;
  readonly resized: boolean;
  readonly pm2: boolean;
  /** UV_THREADPOOL_SIZE in the environments of its Workers, where it is another one. */
  readonly workers: readonly string[];
}

export interface MachineFacts {
  readonly effectiveCpus: number;
  /** How many threads and processes the cgroup still allows; `null` without a limit. */
  readonly pidsHeadroom: number | null;
}

/** The size that the process's pool has, or gets with its first job. */
export const sizeOf = ({ initial, current, threads, libuv, usedBy }: ProcessFacts): number =>
  threads ?? poolSizeOf(usedBy === 'nobody' ? current : initial, libuv ?? undefined);

/** Of a process without a job: the main thread, one for signals, five of V8. */
const OWN_THREADS = 7;

/** No pool has been created, and the limit has no room for one. */
export const lacksRoom = (process: ProcessFacts, pidsHeadroom: number | null): boolean =>
  pidsHeadroom !== null && process.usedBy === 'nobody' && pidsHeadroom < sizeOf(process) + OWN_THREADS;
