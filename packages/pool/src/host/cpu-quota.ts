import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, posix } from 'node:path';

/**
 * The cores that the control groups of this process and their ancestors allow, often a fraction; `null`: no quota.
 * Node's `availableParallelism()` knows quotas only on some lines, and in whole cores. `root` stands in for `/`.
 */
export function readCpuQuota(root = '/'): number | null {
  const folders = read(root, 'proc/self/cgroup').split('\n').flatMap(foldersOf);
  const quota = Math.min(...folders.map((folder) => quotaOf(join(root, folder))));
  return Number.isFinite(quota) ? quota : null;
}

let cores: number | undefined;

/** Cores that this process may keep busy, at least 1: those that Node counts, or the quota if that is less. */
export function usableCores(): number {
  const quota = (): number => Math.ceil(readCpuQuota() ?? Number.POSITIVE_INFINITY);
  cores ??= Math.max(1, Math.min(availableParallelism(), quota()));
  return cores;
}

/** The usual folders of the group in a line, and of the groups above it, if they may limit the CPU. */
function foldersOf(line: string): string[] {
  const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
  if (controllers === undefined || path === undefined) return [];
  // Inside a container the path may be the host's, and only the root exists.
  const groups = [path];
  for (let group = path; posix.dirname(group) !== group; groups.push(group)) group = posix.dirname(group);
  const mountsOfVersion1 = controllers.split(',').includes('cpu') ? ['cpu', 'cpu,cpuacct'] : [];
  const mounts = controllers === '' ? [''] : mountsOfVersion1;
  return mounts.flatMap((mount) => groups.map((group) => join('sys/fs/cgroup', mount, group)));
}

/** Infinity without a quota, for which the kernel writes `max` or -1. */
function quotaOf(folder: string): number {
  const version1 = `${read(folder, 'cpu.cfs_quota_us') || 'max'} ${read(folder, 'cpu.cfs_period_us') || 'max'}`;
  const [quota, period = '100000'] = (read(folder, 'cpu.max') || version1).trim().split(/\s+/);
  const cores = Number(quota) / Number(period);
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8');
  } catch {
    return '';
  }
}
