/**
 * The limits that control groups put on this process: v1, v2 and the hybrid of both. What cannot be read is `null`.
 *
 * libuv's own reader is not good enough to judge a pool size by: it ignored quotas before 1.49, took the leaf only in 1.49 and
 * 1.50, and has rounded to whole cores since (libuv #4740, #4853, nodejs/node #58428, #59200). Limits nest: the tightest of ALL
 * ancestors holds. Kernel documents: admin-guide/cgroup-v2.rst; scheduler/sched-bwc.rst and cgroup-v1/pids.rst.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { leastKnown, parseWhole, readLine, readText, readWhole } from './read.js';

export interface CgroupFacts {
  /** CPU quota in cores, often a fraction; `null`: none known. */
  cpuQuotaCores: number | null;
  /** How many more threads fit (they count as pids); `null`: no limit. */
  pidsHeadroom: number | null;
}

export const readCgroup = (root = '/'): CgroupFacts => ({
  cpuQuotaCores: readCpuQuota(root),
  pidsHeadroom: pidsHeadroom(root),
});

export function readCpuQuota(root = '/'): number | null {
  const { version, directories = [] } = locateController('cpu', root) ?? {};
  const quotaOf = (directory: string): number | null => {
    if (version === 2) return parseCpuMax(readText(root, `${directory}/cpu.max`) ?? '');
    // v1 writes -1 for "no quota", which `readWhole` takes for unknown.
    const [quota, period] = ['quota', 'period'].map((name) =>
      readWhole(root, `${directory}/cpu.cfs_${name}_us`),
    );
    return cores(quota, period);
  };
  return leastKnown(directories.map(quotaOf));
}

/** v2 `cpu.max` in cores: "QUOTA PERIOD" in microseconds, or "max PERIOD"; the default period is 100,000. */
export function parseCpuMax(text: string): number | null {
  const [quota, period = '100000'] = text.trim().split(/\s+/);
  return cores(parseWhole(quota), parseWhole(period));
}

const cores = (quotaUs: number | null | undefined, periodUs: number | null | undefined): number | null =>
  quotaUs && periodUs ? quotaUs / periodUs : null;

/** v2 writes "max" for no limit, v1 -1 or a huge number: every number past 2^53 counts as none. */
export function parseLimit(text: string | null): number | null {
  const value = parseWhole(text);
  return value === null || value > Number.MAX_SAFE_INTEGER ? null : value;
}

const pidsHeadroom = (root: string): number | null =>
  leastKnown(
    (locateController('pids', root)?.directories ?? []).map((directory) => {
      const most = parseLimit(readLine(root, `${directory}/pids.max`));
      return most === null ? null : Math.max(0, most - (readWhole(root, `${directory}/pids.current`) ?? 0));
    }),
  );

interface CgroupLocation {
  version: 1 | 2;
  /** From the process's cgroup up to the highest visible one; absolute, without the test root, never empty. */
  directories: string[];
}

/**
 * The directories of one controller. It is bound to one hierarchy at a time, so a v1 line that names it decides; otherwise v2
 * has it. Neither `/sys/fs/cgroup/cpu` nor the path in /proc/self/cgroup can be taken for granted: containers mount a part of
 * the hierarchy, and a cgroup namespace cuts the names short (cgroup_namespaces(7)).
 *
 * @returns `null` when the controller is not mounted, or the process's cgroup lies outside what is mounted.
 */
export function locateController(controller: 'cpu' | 'pids', root: string): CgroupLocation | null {
  const memberships = parseCgroupMembership(readText(root, '/proc/self/cgroup') ?? '');
  const v1 = memberships.find(({ controllers }) => controllers.includes(controller));
  const membership = v1 ?? memberships.find(({ isV2 }) => isV2);
  if (membership === undefined) return null;
  const mounts = parseMountinfo(readText(root, '/proc/self/mountinfo') ?? '').filter(
    ({ fsType, superOptions }) =>
      v1 === undefined ? fsType === 'cgroup2' : fsType === 'cgroup' && superOptions.includes(controller),
  );
  // Of several mounts of one hierarchy, the one that shows the most ancestors and has the directory.
  const [directories] = mounts
    .map((mount) => directoriesUnder(mount, membership.path) ?? [])
    .filter(([leaf]) => leaf !== undefined && existsSync(join(root, leaf)))
    .sort((a, b) => b.length - a.length);
  return directories === undefined ? null : { version: v1 === undefined ? 2 : 1, directories };
}

interface CgroupMembership {
  /** Names of v1 controllers; empty for the one v2 hierarchy. */
  controllers: string[];
  isV2: boolean;
  path: string;
}

export const parseCgroupMembership = (text: string): CgroupMembership[] =>
  text.split('\n').flatMap((line) => {
    // Only the first two colons separate: the name of a cgroup may contain colons.
    const [, id, names = '', path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    return [{ controllers: names === '' ? [] : names.split(','), isV2: id === '0' && names === '', path }];
  });

/**
 * The directories from the cgroup `path` up to the mount point; `null` when the mount does not hold this cgroup.
 *
 * @param mount its `root` is, like `path`, relative to the cgroup namespace, so both may begin with `/..`.
 */
export function directoriesUnder({ root, mountPoint }: Mount, path: string): string[] | null {
  const within = segmentsWithin(segments(root), segments(path));
  if (within === null) return null;
  const base = mountPoint === '/' ? '' : mountPoint;
  const depths = [...within.keys(), within.length].reverse();
  return depths.map((depth) => [base, ...within.slice(0, depth)].join('/') || '/');
}

const segments = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

function segmentsWithin(mounted: string[], cgroup: string[]): string[] | null {
  const below = cgroup.slice(mounted.length);
  if (mounted.every((part, index) => part === cgroup[index]) && !below.includes('..')) return below;
  // A mount from outside our namespace ('/..') shows an ancestor of ours, whose limits hold for us; the names on the way down
  // are hidden, so only the mount point itself is known.
  const ups = (parts: string[]) => parts.filter((part) => part === '..').length;
  return ups(mounted) === mounted.length && ups(mounted) > ups(cgroup) ? [] : null;
}

/** A line of /proc/PID/mountinfo, proc_pid_mountinfo(5). */
interface Mount {
  /** The part of the file system that is mounted, `/` for all of it. */
  root: string;
  mountPoint: string;
  fsType: string;
  /** Options of the file system; a cgroup v1 mount lists its controllers here. */
  superOptions: string[];
}

export const parseMountinfo = (text: string): Mount[] =>
  text.split('\n').flatMap((line) => {
    // A lone hyphen ends the optional fields.
    const [, before = '', after = ''] = /^(.*?) - (.*)$/s.exec(line) ?? [];
    const [, , , root, mountPoint] = before.split(' ');
    const [fsType, , options] = after.split(' ');
    if (root === undefined || mountPoint === undefined || !fsType) return [];
    const superOptions = options?.split(',') ?? [];
    return [{ root: decodeOctal(root), mountPoint: decodeOctal(mountPoint), fsType, superOptions }];
  });

/** The kernel writes space, tab, newline and backslash as `\040`, `\011`, `\012` and `\134`. */
export const decodeOctal = (text: string): string =>
  text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
