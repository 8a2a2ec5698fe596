/** On which file system a directory lies: a benchmark of files on tmpfs measures memory. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Mount, parseMountinfo } from './mounts.js';
import { readText } from './read.js';

export interface FilesystemFacts {
  /** As the kernel calls it: `ext4`, `overlay`, `tmpfs`, `9p` … */
  type: string | null;
  isMemory: boolean | null;
}

const MEMORY_TYPES = new Set(['tmpfs', 'ramfs']);

/** The file system that holds `path`, which need not exist yet: its nearest existing parent counts. */
export function filesystemOf(path: string, root = '/'): FilesystemFacts {
  const mounts = parseMountinfo(readText(root, '/proc/self/mountinfo') ?? '');
  const mount = mountOf(mounts, realPath(resolve(path)));
  if (mount === null) return { type: null, isMemory: null };
  return { type: mount.fsType, isMemory: MEMORY_TYPES.has(mount.fsType) };
}

/** The mount that holds an absolute, resolved path: the longest mount point wins, and of equals the last one mounted. */
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
