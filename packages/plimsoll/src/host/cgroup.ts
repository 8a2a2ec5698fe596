/**
 * The limits that control groups, of v1, v2 or both, put on this process. What cannot be read is `null`.
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
  pidsHeadroom: leastKnown(
    controllerDirectories('pids', root).map((directory) => {
      const most = parseLimit(readLine(root, `${directory}/pids.max`));
      return most === null ? null : Math.max(0, most - (readWhole(root, `${directory}/pids.current`) ?? 0));
    }),
  ),
});

export const readCpuQuota = (root = '/'): number | null =>
  leastKnown(
    controllerDirectories('cpu', root).map((directory) => {
      const v2 = readText(root, `${directory}/cpu.max`);
      if (v2 !== null) return parseCpuMax(v2);
      // v1 writes -1 for "no quota", which `readWhole` takes for unknown.
      const read = (name: string) => readWhole(root, `${directory}/cpu.cfs_${name}_us`);
      return cores(read('quota'), read('period'));
    }),
  );

/** v2 `cpu.max` in cores: "QUOTA PERIOD" in microseconds, or "max PERIOD"; the default period is 100,000. */
export function parseCpuMax(text: string): number | null {
  const [quota, period = '100000'] = text.trim().split(/\s+/);
  return cores(parseWhole(quota), parseWhole(period));
}

const cores = (quotaUs: number | null, periodUs: number | null): number | null =>
  quotaUs && periodUs ? quotaUs / periodUs : null;

/** v2 writes "max" for no limit, v1 -1 or a huge number: every number past 2^53 counts as none. */
export function parseLimit(text: string | null): number | null {
  const value = parseWhole(text);
  return value === null || value > Number.MAX_SAFE_INTEGER ? null : value;
}

/**
 * From the process's cgroup up to the highest visible one; none when the controller is not mounted, or our cgroup lies outside.
 *
 * A controller is bound to one hierarchy at a time, so a v1 line that names it decides; otherwise v2 has it. Neither
 * `/sys/fs/cgroup/cpu` nor the path in /proc/self/cgroup can be taken for granted: containers mount a part of the hierarchy, and a
 * cgroup namespace cuts the names short (cgroup_namespaces(7)).
 */
export function controllerDirectories(controller: 'cpu' | 'pids', root: string): string[] {
  const memberships = parseCgroupMembership(readText(root, '/proc/self/cgroup') ?? '');
  const v1 = memberships.find(({ controllers }) => controllers.includes(controller));
  const membership = v1 ?? memberships.find(({ isV2 }) => isV2);
  if (membership === undefined) return [];
  const mounts = parseMountinfo(readText(root, '/proc/self/mountinfo') ?? '').filter(
    ({ fsType, superOptions }) =>
      v1 === undefined ? fsType === 'cgroup2' : fsType === 'cgroup' && superOptions.includes(controller),
  );
  // Of several mounts of one hierarchy, the one that shows the most ancestors and has the directory.
  const [directories = []] = mounts
    .map((mount) => directoriesUnder(mount, membership.path) ?? [])
    .filter(([leaf]) => leaf !== undefined && existsSync(join(root, leaf)))
    .sort((a, b) => b.length - a.length);
  return directories;
}

/** The v1 controllers of each hierarchy that we are in, none of the one of v2, and where in it we are. */
export const parseCgroupMembership = (text: string) =>
  text.split('\n').flatMap((line) => {
    // Only the first two colons separate: the name of a cgroup may contain colons.
    const [, id, names = '', path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    return [{ controllers: names === '' ? [] : names.split(','), isV2: id === '0' && names === '', path }];
  });

/** From the cgroup `path` up to the mount point; `null` when it is not in there. In a namespace both roots may begin with `/..`. */
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

type Mount = ReturnType<typeof parseMountinfo>[number];

/** proc_pid_mountinfo(5). `root` is the part that is mounted; v1 lists its controllers in `superOptions`. */
export const parseMountinfo = (text: string) =>
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
