/** What a process group has used so far: for servers that cannot be asked because they are somebody else's. */
import { listNumbers, parseWhole, readText, statFields } from './read.js';

export interface GroupUsage {
  readonly pids: readonly number[];
  /** User and system time of the processes that are alive, in seconds. */
  readonly cpuSeconds: number;
  /** Sum of their peak resident sizes. */
  readonly maxRssBytes: number;
}

/** Linux reports times in USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** @returns `null` where there is no /proc. */
export function readGroupUsage(group: number, root = '/'): GroupUsage | null {
  const all = listNumbers(root, '/proc');
  if (all === null) return null;
  const pids: number[] = [];
  let ticks = 0;
  let kilobytes = 0;
  for (const pid of all) {
    const [itsGroup, user = null, system = null] = wholeFields(`/proc/${pid}/stat`, [5, 14, 15], root);
    if (itsGroup !== group || user === null || system === null) continue;
    pids.push(pid);
    ticks += user + system;
    kilobytes += Number(/^VmHWM:\s*(\d+) kB$/m.exec(readText(root, `/proc/${pid}/status`) ?? '')?.[1] ?? 0);
  }
  return { pids, cpuSeconds: ticks / TICKS_PER_SECOND, maxRssBytes: kilobytes * 1024 };
}

/** CPU time of the children of this process that have ended, and of theirs that they waited for; `null` where there is no /proc. */
export function endedChildrenSeconds(root = '/'): number | null {
  const [user = null, system = null] = wholeFields('/proc/self/stat', [16, 17], root);
  return user === null || system === null ? null : (user + system) / TICKS_PER_SECOND;
}

function wholeFields(file: string, numbers: readonly number[], root: string): (number | null)[] {
  const fields = statFields(readText(root, file));
  return numbers.map((number) => parseWhole(fields[number]));
}
