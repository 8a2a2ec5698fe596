/**
 * Where this process's cgroups are in the file system: /proc/self/cgroup gives the names, /proc/self/mountinfo the
 * mount points. Neither `/sys/fs/cgroup/cpu` nor the path in /proc/self/cgroup can be taken for granted: containers
 * mount a part of the hierarchy, and a cgroup namespace cuts the names short (cgroup_namespaces(7)).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Mount, parseMountinfo } from './mounts.js';
import { readText } from './read.js';

/** One line of /proc/self/cgroup. */
export interface CgroupMembership {
  /** Names of v1 controllers; empty for the one v2 hierarchy; `name=systemd` and the like are no controllers. */
  controllers: string[];
  isV2: boolean;
  path: string;
}

/** A controller's directories for this process, from its own cgroup up to the highest one that is visible. */
export interface CgroupLocation {
  version: 1 | 2;
  /** Absolute paths (without the test root), the process's own cgroup first. Never empty. */
  directories: string[];
}

/** What both files said, parsed. */
export interface CgroupTables {
  memberships: CgroupMembership[];
  mounts: Mount[];
}

/**
 * Parses /proc/PID/cgroup. Lines of another form are skipped.
 *
 * @example
 * parseCgroupMembership('4:cpu,cpuacct:/a\n0::/b\n').map((m) => m.path); // ['/a', '/b']
 */
export function parseCgroupMembership(text: string): CgroupMembership[] {
  const memberships: CgroupMembership[] = [];
  for (const line of text.split('\n')) {
    // Only the first two colons separate: a cgroup's name may hold more of them.
    const match = /^(\d+):([^:]*):(\/.*)$/.exec(line);
    if (match === null) continue;
    const [, id, names = '', path = '/'] = match;
    memberships.push({
      controllers: names === '' ? [] : names.split(','),
      isV2: id === '0' && names === '',
      path,
    });
  }
  return memberships;
}

/** Reads and parses both files; empty tables where there is no /proc. */
export function readCgroupTables(root = '/'): CgroupTables {
  return {
    memberships: parseCgroupMembership(readText(root, '/proc/self/cgroup') ?? ''),
    mounts: parseMountinfo(readText(root, '/proc/self/mountinfo') ?? ''),
  };
}

/**
 * Finds the directories of one controller.
 *
 * A controller is bound to one hierarchy at a time, so a v1 line that names it settles the question; otherwise v2 has it.
 *
 * @returns `null` when the controller is not mounted, or when the process's cgroup lies outside what is mounted
 * @example
 * locateController(readCgroupTables(), 'cpu')?.directories[0]; // '/sys/fs/cgroup/user.slice'
 */
export function locateController(
  tables: CgroupTables,
  controller: 'cpu' | 'pids',
  root = '/',
): CgroupLocation | null {
  const v1 = tables.memberships.find((m) => m.controllers.includes(controller));
  const membership = v1 ?? tables.memberships.find((m) => m.isV2);
  if (membership === undefined) return null;
  const mounts = tables.mounts.filter((mount) =>
    v1 === undefined
      ? mount.fsType === 'cgroup2'
      : mount.fsType === 'cgroup' && mount.superOptions.includes(controller),
  );
  const directories = bestDirectories(mounts, membership.path, root);
  return directories === null ? null : { version: v1 === undefined ? 2 : 1, directories };
}

/** Of several mounts of one hierarchy, the one that shows the most ancestors and really has the directory. */
function bestDirectories(mounts: Mount[], path: string, root: string): string[] | null {
  let best: string[] | null = null;
  for (const mount of mounts) {
    const directories = directoriesUnder(mount, path);
    const own = directories?.[0];
    if (directories === null || own === undefined || !existsSync(join(root, own))) continue;
    if (best === null || directories.length > best.length) best = directories;
  }
  return best;
}

/**
 * The directories from the cgroup `path` up to the mount point, or `null` when the mount does not hold that cgroup.
 *
 * @param mount its `root` is, like `path`, relative to the cgroup namespace, so both may begin with `/..`
 */
export function directoriesUnder(mount: Mount, path: string): string[] | null {
  const within = segmentsWithin(segments(mount.root), segments(path));
  if (within === null) return null;
  const base = mount.mountPoint === '/' ? '' : mount.mountPoint;
  const directories: string[] = [];
  for (let depth = within.length; depth >= 0; depth -= 1) {
    directories.push([base, ...within.slice(0, depth)].join('/') || '/');
  }
  return directories;
}

function segments(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function segmentsWithin(mounted: string[], own: string[]): string[] | null {
  const rest = own.slice(mounted.length);
  const isBelow = mounted.every((part, i) => part === own[i]);
  if (isBelow && !rest.includes('..')) return rest;
  // The mount was made outside our namespace ('/..'): it shows an ancestor of ours, whose limits hold for us, but the
  // names on the way down are hidden. What can be known is the mount point itself.
  const ups = (parts: string[]) => parts.filter((part) => part === '..').length;
  return ups(mounted) === mounted.length && ups(mounted) > ups(own) ? [] : null;
}
