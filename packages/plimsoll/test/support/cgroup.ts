import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './cli.js';

/**
 * A cgroup of our own with a limit, to be removed by `removeCgroup`; `null` where there is none to be had.
 *
 * @param controller its directory in version 1; in version 2 all are one.
 * @param limits values by file; those that are not there are left out, so that both versions can be named.
 */
export function limitedCgroup(controller: string, limits: Readonly<Record<string, string>>): string | null {
  for (const parent of [`/sys/fs/cgroup/${controller}`, '/sys/fs/cgroup']) {
    let directory: string;
    try {
      directory = mkdtempSync(join(parent, 'plimsoll-test-'));
    } catch {
      continue;
    }
    if (Object.entries(limits).some(([file, value]) => write(join(directory, file), value))) return directory;
    rmdirSync(directory);
  }
  return null;
}

function write(file: string, value: string): boolean {
  try {
    writeFileSync(file, value, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

/** Begins a command line whose rest runs in the cgroup. */
export const within = (cgroup: string): string[] => [
  ...['sh', '-c', 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"', 'sh', cgroup],
];

/** What ran in it may still be ending. */
export const removeCgroup = (cgroup: string): Promise<void> =>
  until(() => {
    try {
      rmdirSync(cgroup);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EBUSY') return false;
      throw error;
    }
  });
