/** What a process group has used so far: for servers that cannot be asked because they are somebody else's. */
import { listNames, parseWhole, readText } from './read.js';

export interface GroupUsage {
  readonly pids: readonly number[];
  /** User and system time of the processes that are alive, in seconds. */
  readonly cpuSeconds: number;
  /** Sum of their peak resident sizes. */
  readonly maxRssBytes: number;
}

/** Linux reports times in USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/**
 * @param group id of the group: the process id of its leader
 * @returns `null` where there is no /proc
 * @example
 * readGroupUsage(child.pid)?.cpuSeconds; // 1.52
 */
export function readGroupUsage(group: number, root = '/'): GroupUsage | null {
  const names = listNames(root, '/proc');
  if (names === null) return null;
  const pids: number[] = [];
  let ticks = 0;
  let kilobytes = 0;
  for (const name of names) {
    const pid = parseWhole(name);
    if (pid === null) continue;
    const stat = parseUsage(readText(root, `/proc/${pid}/stat`) ?? '');
    if (stat?.group !== group) continue;
    pids.push(pid);
    ticks += stat.ticks;
    kilobytes += Number(/^VmHWM:\s*(\d+) kB$/m.exec(readText(root, `/proc/${pid}/status`) ?? '')?.[1] ?? 0);
  }
  return { pids, cpuSeconds: ticks / TICKS_PER_SECOND, maxRssBytes: kilobytes * 1024 };
}

/**
 * Fields 5, 14 and 15 of /proc/PID/stat, proc_pid_stat(5).
 *
 * @returns `null` for another form
 * @example
 * parseUsage('7 (a b) S 1 7 7 0 -1 0 0 0 0 0 12 3 0 0 20 0 1 0 99 …'); // { group: 7, ticks: 15 }
 */
export function parseUsage(stat: string): { group: number; ticks: number } | null {
  const [group, user, system] = fieldsOf(stat, [5, 14, 15]);
  return group == null || user == null || system == null ? null : { group, ticks: user + system };
}

/**
 * User and system time of the children of this process that have ended, and of theirs that they waited for, in seconds: what a
 * command used is the difference. Fields 16 and 17 of /proc/self/stat.
 *
 * @returns `null` where there is no /proc
 */
export function endedChildrenSeconds(root = '/'): number | null {
  const [user, system] = fieldsOf(readText(root, '/proc/self/stat') ?? '', [16, 17]);
  return user == null || system == null ? null : (user + system) / TICKS_PER_SECOND;
}

function fieldsOf(stat: string, fields: readonly number[]): (number | null)[] {
  // Field 2 is the program's name in brackets and may hold anything; the next one is number 3.
  const texts = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  return fields.map((field) => parseWhole(texts[field - 3]));
}
