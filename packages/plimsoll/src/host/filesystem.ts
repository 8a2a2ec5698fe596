import { statfsSync } from 'node:fs';

export interface FilesystemFacts {
  /** The kernel's name: `ext4`, `overlay`, `tmpfs` …; the magic number of a type that is not listed here. */
  type: string | null;
  /** A benchmark of files measures memory there. */
  isMemory: boolean | null;
}

/** By the magic number of statfs(2), linux/magic.h. */
const TYPES: Readonly<Record<number, string>> = {
  1635083891: 'aufs',
  2435016766: 'btrfs',
  4283649346: 'cifs',
  61267: 'ext4',
  4076150800: 'f2fs',
  1702057286: 'fuse',
  26985: 'nfs',
  2035054128: 'overlay',
  40864: 'proc',
  2240043254: 'ramfs',
  16914836: 'tmpfs',
  16914839: '9p',
  1481003842: 'xfs',
  801189825: 'zfs',
};

export function filesystemOf(path: string): FilesystemFacts {
  if (process.platform !== 'linux') return { type: null, isMemory: null };
  try {
    const magic = statfsSync(path).type;
    const type = TYPES[magic] ?? `0x${magic.toString(16)}`;
    return { type, isMemory: type === 'tmpfs' || type === 'ramfs' };
  } catch {
    return { type: null, isMemory: null };
  }
}
