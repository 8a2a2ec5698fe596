import type { Evidence } from '../host/process-pool.js';
import { poolSizeOf } from '../libuv/pool-size.js';

export interface ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  readonly script: string | null;
  /** Versions; `null` for a process that was examined from outside. */
  readonly node: string | null;
  readonly libuv: string | null;
  readonly platform: NodeJS.Platform;
  /** UV_THREADPOOL_SIZE at the start, and when the process was examined. */
  readonly initial: string | null;
  readonly current: string | null;
  /** Counted pool threads; `null` if they cannot be counted, or no job used the pool. */
  readonly threads: number | null;
  /** `preload`: counted by the examined process itself. */
  readonly countedBy: Evidence | 'preload' | null;
  /** Whose job made libuv create the threads. */
  readonly usedBy: 'app' | 'doctor' | 'nobody' | 'unknown';
  /** What os.availableParallelism() returns there; `null` when it was not asked. */
  readonly availableParallelism: number | null;
  readonly resized: boolean;
  readonly pm2: boolean;
  /** Values of UV_THREADPOOL_SIZE in the environments of its Workers that differ from its value. */
  readonly workers: readonly string[];
}

export interface MachineFacts {
  readonly effectiveCpus: number;
  /** How many threads and processes the cgroup still allows; `null` without a limit. */
  readonly pidsHeadroom: number | null;
}

/** The size of the process's pool, or the size that it will get with its first job. */
export const sizeOf = ({ initial, current, threads, libuv, usedBy }: ProcessFacts): number =>
  threads ?? poolSizeOf(usedBy === 'nobody' ? current : initial, libuv ?? undefined);

/** The main thread, one thread for signals, five of V8. */
const THREADS_WITHOUT_POOL = 7;

/** There is no pool yet, and the limit has no room for one. */
export const lacksRoom = (process: ProcessFacts, pidsHeadroom: number | null): boolean =>
  pidsHeadroom !== null &&
  process.usedBy === 'nobody' &&
  pidsHeadroom < sizeOf(process) + THREADS_WITHOUT_POOL;
