import { POOL_THREAD } from '../host/pool-threads.js';
import { candidates, hasNames, RUNTIME_NAME, RUNTIME_THREADS, type Thread } from '../host/process-pool.js';
import type { SeenThread } from '../results/pool-activity.js';

type Role = SeenThread['role'];

/** What each thread of a Node process is for: by its name since libuv 1.50, before that by its time of creation. */
export function rolesOf(
  pid: number,
  threads: readonly Thread[],
  size: number,
  root = '/',
): ReadonlyMap<number, Role> {
  const roles = new Map<number, Role>(threads.map(({ tid }) => [tid, tid === pid ? 'event loop' : 'other']));
  const helpers = threads.filter(({ tid }) => tid !== pid);
  if (hasNames(pid, threads)) {
    for (const { tid, name } of helpers)
      if (name === POOL_THREAD) roles.set(tid, 'pool');
      else if (RUNTIME_NAME.test(name)) roles.set(tid, 'runtime');
    return roles;
  }
  for (const { tid } of helpers.slice(0, RUNTIME_THREADS)) roles.set(tid, 'runtime');
  if (size === 0) return roles;
  for (const { tid } of createdTogether(candidates(pid, threads, root), size)) roles.set(tid, 'pool');
  return roles;
}

/** The `size` threads that were created within the shortest time: libuv creates all pool threads at once. */
function createdTogether(threads: readonly Thread[], size: number): readonly Thread[] {
  const sorted = threads.toSorted((a, b) => a.createdTicks - b.createdTicks || a.tid - b.tid);
  const spread = (from: number): number =>
    (sorted[from + size - 1]?.createdTicks ?? Number.POSITIVE_INFINITY) - (sorted[from]?.createdTicks ?? 0);
  let best = 0;
  for (let from = 1; from + size <= sorted.length; from++) if (spread(from) < spread(best)) best = from;
  return sorted.slice(best, best + size);
}
