import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from './read.js';

/**
 * Where this process's cgroups are in the file system: /proc/self/cgroup gives the names, /proc/self/mountinfo the
 * mount points. Neither `/sys/fs/cgroup/cpu` nor the path in /proc/self/cgroup can be taken for granted: containers
 * mount a part of the hierarchy, and a cgroup namespace cuts the names short (cgroup_namespaces(7)).
 */

interface CgroupMembership {
  /** Names of v1 controllers; empty for the one v2 hierarchy; `name=systemd` and the like are no controllers. */
  controllers: string[];
  isV2: boolean;
  path: string;
}

interface CgroupLocation {
  version: 1 | 2;
  /** From the process's own cgroup up to the highest one that is visible; absolute, without the test root, never empty. */
  directories: string[];
}

export const parseCgroupMembership = (text: string): CgroupMembership[] =>
  text.split('\n').flatMap((line) => {
    // Only the first two colons separate: a cgroup's name may hold more of them.
    const [, id, names = '', path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    return [{ controllers: names === '' ? [] : names.split(','), isV2: id === '0' && names === '', path }];
  });

/**
 * The directories of one controller. It is bound to one hierarchy at a time, so a v1 line that names it settles the question;
 * otherwise v2 has it.
 *
 * @returns `null` when the controller is not mounted, or when the process's cgroup lies outside what is mounted
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
  // Of several mounts of one hierarchy, the one that shows the most ancestors and really has the directory.
  const [directories] = mounts
    .map((mount) => directoriesUnder(mount, membership.path) ?? [])
    .filter(([leaf]) => leaf !== undefined && existsSync(join(root, leaf)))
    .sort((a, b) => b.length - a.length);
  return directories === undefined ? null : { version: v1 === undefined ? 2 : 1, directories };
}

/**
 * The directories from the cgroup `path` up to the mount point, or `null` when the mount does not hold that cgroup.
 *
 * @param mount its `root` is, like `path`, relative to the cgroup namespace, so both may begin with `/..`
 */
export function directoriesUnder({ root, mountPoint }: Mount, path: string): string[] | null {
  const within = segmentsWithin(segments(root), segments(path));
  if (within === null) return null;
  const base = mountPoint === '/' ? '' : mountPoint;
  return [...within.keys(), within.length]
    .reverse()
    .map((depth) => [base, ...within.slice(0, depth)].join('/') || '/');
}

const segments = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

function segmentsWithin(mounted: string[], cgroup: string[]): string[] | null {
  const rest = cgroup.slice(mounted.length);
  const isBelow = mounted.every((part, i) => part === cgroup[i]);
  if (isBelow && !rest.includes('..')) return rest;
  // The mount was made outside our namespace ('/..'): it shows an ancestor of ours, whose limits hold for us, but the
  // names on the way down are hidden. What can be known is the mount point itself.
  const ups = (parts: string[]) => parts.filter((part) => part === '..').length;
  return ups(mounted) === mounted.length && ups(mounted) > ups(cgroup) ? [] : null;
}

/** The mount table of a process: /proc/PID/mountinfo, described in proc_pid_mountinfo(5). */

export interface Mount {
  /** The part of the file system that is mounted, `/` for all of it. */
  root: string;
  mountPoint: string;
  fsType: string;
  /** Options of the file system itself; a cgroup v1 mount lists its controllers here. */
  superOptions: string[];
}

/** Mounts in the order of mounting: a later one hides an earlier one. Lines of another form are skipped. */
export const parseMountinfo = (text: string): Mount[] =>
  text.split('\n').flatMap((line) => {
    // A lone hyphen ends the optional fields, of which there may be none or many.
    const [, before = '', after = ''] = /^(.*?) - (.*)$/s.exec(line) ?? [];
    const [, , , root, mountPoint] = before.split(' ');
    const [fsType, , options] = after.split(' ');
    if (root === undefined || mountPoint === undefined || !fsType) return [];
    const superOptions = options?.split(',') ?? [];
    return [{ root: decodeOctal(root), mountPoint: decodeOctal(mountPoint), fsType, superOptions }];
  });

/** Undoes the kernel's escapes: it writes space, tab, newline and backslash as `\040`, `\011`, `\012` and `\134`. */
export const decodeOctal = (text: string): string =>
  text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
