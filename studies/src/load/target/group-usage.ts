import { listNumbers, parseWhole, readText, statFields } from '@plimsoll/lab';

/** What a process group has used so far: for servers that cannot be asked because they are somebody else's. */
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
    const fields = statFields(readText(root, `/proc/${pid}/stat`));
    const [itsGroup, user, system] = [5, 14, 15].map((number) => parseWhole(fields[number]));
    if (itsGroup !== group || user == null || system == null) continue;
    pids.push(pid);
    ticks += user + system;
    kilobytes += Number(/^VmHWM:\s*(\d+) kB$/m.exec(readText(root, `/proc/${pid}/status`) ?? '')?.[1] ?? 0);
  }
  return { pids, cpuSeconds: ticks / TICKS_PER_SECOND, maxRssBytes: kilobytes * 1024 };
}
