/**
 * How many pool threads a process really has. The variable is no proof: it may have been set too late, to a text that libuv
 * misreads, or in a Worker's copy of the environment.
 *
 * libuv names its pool threads since 1.50 (libuv #4664): Node 22.17+ and 24+. Before that every thread is called "node" or has
 * the process title, so compare the threads before and after the first use of the pool.
 */
import { isSince } from '../libuv/pool-size.js';
import { listNumbers, readLine } from './read.js';

export interface ThreadInfo {
  tid: number;
  name: string;
}

export const POOL_THREAD = 'libuv-worker';

/** The kernel's io_uring threads, which /proc/PID/task lists too. */
export const KERNEL_THREAD = /^iou-(sqp|wrk)/;

/** @returns `null` when unknown: no /proc, no such process, or no permission. */
export function listThreads(pid: number | 'self' = 'self', root = '/'): ThreadInfo[] | null {
  const tids = listNumbers(root, `/proc/${pid}/task`);
  if (tids === null) return null;
  return tids.flatMap((tid) => {
    const name = readLine(root, `/proc/${pid}/task/${tid}/comm`);
    // A thread may end between the two reads.
    return name === null ? [] : [{ tid, name }];
  });
}

/** By name, as the `libuv` of that process sets them: 0 when the pool has not started, `null` below 1.50 and without /proc. */
export function countPoolThreads(
  pid: number | 'self' = 'self',
  libuv: string = process.versions.uv,
  root = '/',
): number | null {
  const threads = listThreads(pid, root);
  const count = named(threads ?? []).length;
  return count > 0 || (threads !== null && namesPoolThreads(libuv)) ? count : null;
}

/**
 * The pool threads among those that appeared between two lists: the named ones, else all but the kernel's. The first list is from
 * before anything uses the pool (see lab/child/first-use), the second from after a first job, and nothing else starts threads in
 * between: libuv creates all pool threads at once and waits for them.
 */
export function diffPoolThreads(before: readonly ThreadInfo[], after: readonly ThreadInfo[]): ThreadInfo[] {
  const known = new Set(before.map(({ tid }) => tid));
  const added = after.filter(({ tid, name }) => !known.has(tid) && !KERNEL_THREAD.test(name));
  return named(added).length > 0 ? named(added) : added;
}

/** The pool size of this process, from lists around the first use of its pool; `null` when nothing could be listed. */
export const poolThreadsBetween = (
  before: readonly ThreadInfo[],
  after: readonly ThreadInfo[],
): number | null =>
  after.length === 0 ? null : (countPoolThreads('self') ?? diffPoolThreads(before, after).length);

export const namesPoolThreads = (libuv: string): boolean => isSince(50, libuv);

const named = (threads: readonly ThreadInfo[]): ThreadInfo[] =>
  threads.filter(({ name }) => name === POOL_THREAD);
