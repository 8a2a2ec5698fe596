import { listThreads, POOL_THREAD } from './pool-threads.js';
import { poolSizeInMemory } from './process-memory.js';
import { listNumbers, readLine, readLink } from './read.js';
import { type ThreadActivity, threadActivities } from './thread-activity.js';

/** `memory`: libuv's own counter; `name`: libuv names its threads; `creation`: threads that were created in one instant. */
export type Evidence = 'memory' | 'name' | 'creation';

interface PoolCount {
  readonly threads: number;
  readonly by: Evidence;
}

export type Thread = Pick<ThreadActivity, 'tid' | 'name' | 'createdTicks'>;

/** Threads of V8's platform, the inspector and libuv's io_uring, where they have names. */
export const RUNTIME_NAME =
  /^(V8Worker|V8 ?Worker|DelayedTaskSche|SignalInspector|node-V8Worker|iou-|MainThread$)/;
/** Without names: before the program begins V8's platform has a delayed-task scheduler and four workers, and Node one that waits for SIGUSR1. */
export const RUNTIME_THREADS = 6;
/** Threads that libuv creates together have the same hundredth of a second, or the next one. */
const TOGETHER_TICKS = 2;

/** Whether libuv and Node name the threads of this process, as they do since Node 22.17. */
export const hasNames = (pid: number, threads: readonly Thread[]): boolean =>
  threads.some(({ tid, name }) => tid !== pid && (name === POOL_THREAD || RUNTIME_NAME.test(name)));

/** @param expected what UV_THREADPOOL_SIZE gives: where creation alone tells, it decides between several groups of threads. */
export function countPool(
  pid: number,
  expected: number,
  root = '/',
  threads: readonly Thread[] | null = threadActivities(pid, root),
): PoolCount | null {
  const inMemory = root === '/' ? poolSizeInMemory(pid) : null;
  if (inMemory !== null) return { threads: inMemory, by: 'memory' };
  if (threads === null) return null;
  if (hasNames(pid, threads))
    return { threads: threads.filter(({ name }) => name === POOL_THREAD).length, by: 'name' };
  const groups = siblings(candidates(pid, threads, root));
  if (groups.length === 0) return { threads: 0, by: 'creation' };
  const group =
    groups.find(({ length }) => length === expected) ?? (groups.length === 1 ? groups[0] : undefined);
  return group === undefined ? null : { threads: group.length, by: 'creation' };
}

/** The FIFO in whose read the threads wait that a resize has parked, of `@plimsoll/monitor`. */
export const PARKING = /\/plimsoll-resize-[^/]+\/fifo \(deleted\)$/;
const RESIZING_THREAD = 'plimsoll-resize';

/** Whether the pool has been resized while the process runs, or may have been. */
export const isResized = (pid: number, root = '/'): boolean =>
  (listThreads(pid, root) ?? []).some(({ name }) => name === RESIZING_THREAD) ||
  (listNumbers(root, `/proc/${pid}/fd`) ?? []).some((file) =>
    PARKING.test(readLink(root, `/proc/${pid}/fd/${file}`) ?? ''),
  );

/** The threads of a process without names that may be the pool's: no part of the runtime, and no event loop of a Worker. */
export const candidates = <One extends Thread>(pid: number, threads: readonly One[], root = '/'): One[] =>
  threads
    .filter(({ tid }) => tid !== pid)
    .slice(RUNTIME_THREADS)
    .filter(({ tid }) => !/epoll|ep_poll/.test(readLine(root, `/proc/${pid}/task/${tid}/wchan`) ?? ''));

/** Threads in groups that were created in one instant, as libuv creates those of its pool. */
export function siblings<One extends Thread>(threads: readonly One[]): One[][] {
  const groups: One[][] = [];
  for (const thread of threads.toSorted((a, b) => a.createdTicks - b.createdTicks || a.tid - b.tid)) {
    const group = groups.at(-1);
    const createdTicks = group?.[0]?.createdTicks ?? Number.NEGATIVE_INFINITY;
    if (thread.createdTicks - createdTicks <= TOGETHER_TICKS) group?.push(thread);
    else groups.push([thread]);
  }
  return groups;
}
