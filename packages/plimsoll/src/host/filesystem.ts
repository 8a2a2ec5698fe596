/** On which file system a directory lies: a benchmark of files on tmpfs measures memory. */
import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Mount, parseMountinfo } from './mounts.js';
import { readText } from './read.js';

export interface FilesystemFacts {
  /** As the kernel calls it: `ext4`, `overlay`, `tmpfs`, `9p` … */
  type: string | null;
  /** The kernel's name of the block device, `vda1` or `dm-0`; `null` when none stands behind it. */
  device: string | null;
  /** Whether the files live in memory only. */
  isMemory: boolean | null;
}

const MEMORY_TYPES = new Set(['tmpfs', 'ramfs']);

/** Kernel names of disks. Names under /dev/mapper and network sources are left out: they name people and machines. */
const DISK =
  /^\/dev\/((?:sd|vd|xvd|hd)[a-z]+\d*|(?:nvme\d+n|mmcblk)\d+(?:p\d+)?|(?:dm-|md|loop|ram|zram)\d+)$/;

/**
 * The file system that holds `path`, which need not exist yet: its nearest existing parent counts.
 *
 * @param root directory that plays the part of `/` for /proc and /sys; by default `/`
 * @returns all `null` where there is no /proc/self/mountinfo
 * @example
 * filesystemOf('/dev/shm'); // { type: 'tmpfs', device: null, isMemory: true }
 */
export function filesystemOf(path: string, root = '/'): FilesystemFacts {
  const mounts = parseMountinfo(readText(root, '/proc/self/mountinfo') ?? '');
  const mount = mountOf(mounts, realPath(resolve(path)));
  if (mount === null) return { type: null, device: null, isMemory: null };
  return { type: mount.fsType, device: deviceOf(mount, root), isMemory: MEMORY_TYPES.has(mount.fsType) };
}

/**
 * The mount that holds an absolute, resolved path: the longest mount point wins, and of equals the last one mounted.
 *
 * @example
 * mountOf(mounts, '/data/a')?.mountPoint; // '/data'
 */
export function mountOf(mounts: readonly Mount[], path: string): Mount | null {
  let best: Mount | null = null;
  for (const mount of mounts) {
    const isAbove = mount.mountPoint === '/' || `${path}/`.startsWith(`${mount.mountPoint}/`);
    if (isAbove && (best === null || mount.mountPoint.length >= best.mountPoint.length)) best = mount;
  }
  return best;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

function deviceOf(mount: Mount, root: string): string | null {
  try {
    // .../block/vda/vda1: the last part is the kernel's name of the device.
    return basename(readlinkSync(join(root, '/sys/dev/block', mount.deviceNumber)));
  } catch {
    // btrfs gives its own numbers, unknown to /sys/dev/block.
    return DISK.exec(mount.source)?.[1] ?? null;
  }
}
