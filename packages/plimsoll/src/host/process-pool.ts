import { listThreads, POOL_THREAD } from './pool-threads.js';
import { poolSizeInMemory } from './process-memory.js';
import { listNumbers, readLine, readLink } from './read.js';
import { type ThreadActivity, threadActivities } from './thread-activity.js';

/** `memory`: libuv's counter; `name`: libuv names its threads; `creation`: threads that were created at once. */
export type Evidence = 'memory' | 'name' | 'creation';

export type Thread = Pick<ThreadActivity, 'tid' | 'name' | 'createdTicks'>;

/** Threads of V8's platform, the inspector and libuv's io_uring, where they have names. */
export const RUNTIME_NAME =
  /^(V8Worker|V8 ?Worker|DelayedTaskSche|SignalInspector|node-V8Worker|iou-|MainThread$)/;
/** V8's platform starts a delayed-task scheduler and four workers before the program begins, and Node a thread for SIGUSR1. */
export const RUNTIME_THREADS = 6;
/** Threads that libuv creates at once have the same hundredth of a second, or the next one. */
const TOGETHER_TICKS = 2;

/** Whether libuv and Node name the threads of this process, as they do since Node 22.17. */
export const hasNames = (pid: number, threads: readonly Thread[]): boolean =>
  threads.some(({ tid, name }) => tid !== pid && (name === POOL_THREAD || RUNTIME_NAME.test(name)));

/** @param expected the size by UV_THREADPOOL_SIZE, which decides between several groups of threads created at once. */
export function countPool(
  pid: number,
  expected: number,
  root = '/',
  threads: readonly Thread[] | null = threadActivities(pid, root),
): { readonly threads: number; readonly by: Evidence } | null {
  const inMemory = root === '/' ? poolSizeInMemory(pid) : null;
  if (inMemory !== null) return { threads: inMemory, by: 'memory' };
  if (threads === null) return null;
  if (hasNames(pid, threads))
    return { threads: threads.filter(({ name }) => name === POOL_THREAD).length, by: 'name' };
  const sizes = groupSizes(candidates(pid, threads, root));
  if (sizes.length === 0) return { threads: 0, by: 'creation' };
  const size = sizes.includes(expected) ? expected : sizes.length === 1 ? sizes[0] : undefined;
  return size === undefined ? null : { threads: size, by: 'creation' };
}

/** The FIFO of `@plimsoll/monitor` that parked threads read. */
export const PARKING = /\/plimsoll-resize-[^/]+\/fifo \(deleted\)$/;
const RESIZING_THREAD = 'plimsoll-resize';

/** Whether the pool has been resized at run time, or may have been. */
export const isResized = (pid: number, root = '/'): boolean =>
  (listThreads(pid, root) ?? []).some(({ name }) => name === RESIZING_THREAD) ||
  (listNumbers(root, `/proc/${pid}/fd`) ?? []).some((file) =>
    PARKING.test(readLink(root, `/proc/${pid}/fd/${file}`) ?? ''),
  );

/** Threads without names that may belong to the pool: no thread of the runtime, no event loop of a Worker. */
export const candidates = (pid: number, threads: readonly Thread[], root = '/'): Thread[] =>
  threads
    .filter(({ tid }) => tid !== pid)
    .slice(RUNTIME_THREADS)
    .filter(({ tid }) => !/epoll|ep_poll/.test(readLine(root, `/proc/${pid}/task/${tid}/wchan`) ?? ''));

/** How many threads were created at once, group by group. */
function groupSizes(threads: readonly Thread[]): number[] {
  const sizes: number[] = [];
  let groupTicks = Number.NEGATIVE_INFINITY;
  for (const ticks of threads.map(({ createdTicks }) => createdTicks).sort((a, b) => a - b)) {
    if (ticks - groupTicks <= TOGETHER_TICKS) sizes.push((sizes.pop() ?? 0) + 1);
    else {
      sizes.push(1);
      groupTicks = ticks;
    }
  }
  return sizes;
}
