import { namesPoolThreads, POOL_THREAD } from '../host/pool-threads.js';
import type { ThreadActivity } from '../host/thread-activity.js';

/** `pool`: of libuv. `runtime`: V8's platform, the inspector, libuv's io_uring. `other`: Workers, add-ons. */
export type Role = 'event loop' | 'pool' | 'runtime' | 'other';

export interface Roles {
  readonly roles: ReadonlyMap<number, Role>;
  /** Pool threads follow from when they were created, because libuv does not name them. */
  readonly isInferred: boolean;
}

type Thread = Pick<ThreadActivity, 'tid' | 'name' | 'createdTicks'>;

const RUNTIME = /^(V8Worker|V8 ?Worker|DelayedTaskSche|SignalInspector|node-V8Worker|iou-|MainThread$)/;
/** Without names: before the program begins V8's platform has a delayed-task scheduler and four workers, and Node one that waits for SIGUSR1. */
const RUNTIME_THREADS = 6;
/** Threads that libuv creates together have the same hundredth of a second, or the next one. */
const TOGETHER_TICKS = 2;

/**
 * What each thread of a Node process is for: by its name since libuv 1.50, and before that by when it was created. libuv creates
 * all pool threads at once, as many as the variable says.
 *
 * @param size what UV_THREADPOOL_SIZE gives.
 * @param libuv version of the process; `null` when not known.
 */
export function rolesOf(pid: number, threads: readonly Thread[], size: number, libuv: string | null): Roles {
  const roles = new Map<number, Role>(threads.map(({ tid }) => [tid, tid === pid ? 'event loop' : 'other']));
  const others = threads.filter(({ tid }) => tid !== pid);
  const isNamed =
    others.some(({ name }) => name === POOL_THREAD || RUNTIME.test(name)) || namesPoolThreads(libuv ?? '0');
  if (isNamed) {
    for (const { tid, name } of others) {
      if (name === POOL_THREAD) roles.set(tid, 'pool');
      else if (RUNTIME.test(name)) roles.set(tid, 'runtime');
    }
    return { roles, isInferred: false };
  }
  for (const { tid } of others.slice(0, RUNTIME_THREADS)) roles.set(tid, 'runtime');
  for (const { tid } of firstGroup(others.slice(RUNTIME_THREADS), size)) roles.set(tid, 'pool');
  return { roles, isInferred: true };
}

/** The first so many threads that were created together. */
function firstGroup(threads: readonly Thread[], size: number): readonly Thread[] {
  for (let from = 0; from + size <= threads.length; from++) {
    const group = threads.slice(from, from + size);
    const [first, last] = [group[0], group.at(-1)];
    if (first !== undefined && last !== undefined && last.createdTicks - first.createdTicks <= TOGETHER_TICKS)
      return group;
  }
  return [];
}
