import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, posix } from 'node:path';

/**
 * How many cores control groups give to this process, a fraction as often as not; the least of all ancestors. `null`: no quota is
 * known. Node's `availableParallelism()` knows of quotas only on some lines, and in whole cores.
 *
 * @param root directory that plays the part of `/`
 */
export function readCpuQuota(root = '/'): number | null {
  const quotas = groupsOf(root).flatMap(({ mount, path }) =>
    ancestors(path).map((group) => quotaOf(join(root, mount, group))),
  );
  const known = quotas.filter((quota) => quota !== null);
  return known.length === 0 ? null : Math.min(...known);
}

let known: number | undefined;

/** Cores that this process may keep busy, at least 1: those that Node knows of, or its quota if that is less. */
export function usableCores(): number {
  known ??= Math.max(
    1,
    Math.min(availableParallelism(), Math.ceil(readCpuQuota() ?? Number.POSITIVE_INFINITY)),
  );
  return known;
}

/** The groups that may limit the CPU, each under where its hierarchy is usually mounted. */
function groupsOf(root: string): { mount: string; path: string }[] {
  const groups: { mount: string; path: string }[] = [];
  for (const line of (read(root, 'proc/self/cgroup') ?? '').split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    if (controllers === '') groups.push({ mount: 'sys/fs/cgroup', path });
    else if (controllers.split(',').includes('cpu')) {
      groups.push({ mount: 'sys/fs/cgroup/cpu', path }, { mount: 'sys/fs/cgroup/cpu,cpuacct', path });
    }
  }
  return groups;
}

/** A group and all above it. Inside a container the path may be the host's, and only the root is there. */
function ancestors(path: string): string[] {
  const groups = [path];
  for (let group = path; posix.dirname(group) !== group; groups.push(group)) group = posix.dirname(group);
  return groups;
}

function quotaOf(folder: string): number | null {
  const [quota, period] = (read(folder, 'cpu.max') ?? '').trim().split(/\s+/);
  return (
    cores(quota, period ?? '100000') ??
    cores(read(folder, 'cpu.cfs_quota_us'), read(folder, 'cpu.cfs_period_us'))
  );
}

/** Without a quota the kernel writes `max`, or -1. */
function cores(quota: string | undefined, period: string | undefined): number | null {
  const value = Number(quota?.trim() || Number.NaN) / Number(period?.trim() || Number.NaN);
  return value > 0 && Number.isFinite(value) ? value : null;
}

function read(folder: string, file: string): string | undefined {
  try {
    return readFileSync(join(folder, file), 'utf8');
  } catch {
    return undefined;
  }
}
