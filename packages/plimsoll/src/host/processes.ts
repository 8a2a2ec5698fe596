/** Telling a process from a later one with the same number: a guardian must never kill a stranger. */
import { listNames, parseWhole, readLink, readText } from './read.js';

/**
 * When a process started: field 22 of /proc/PID/stat, in clock ticks since the machine booted.
 *
 * @returns `null` when unknown: no such process, or no /proc
 * @example
 * startTime(process.pid); // 123456
 */
export function startTime(pid: number, root = '/'): number | null {
  return parseStartTime(readText(root, `/proc/${pid}/stat`) ?? '');
}

/**
 * Whether `pid` is still the process that started at `started`.
 *
 * @param started what {@link startTime} gave when the process was known to be the right one
 * @returns `false` whenever that cannot be proved, also where there is no /proc
 * @example
 * if (isSameProcess(pid, started)) process.kill(pid, 'SIGKILL');
 */
export function isSameProcess(pid: number, started: number | null, root = '/'): boolean {
  return started !== null && startTime(pid, root) === started;
}

/**
 * Whether a process has ended without anybody having asked how: a zombie, as what outlives its parent becomes where no
 * init process collects it.
 *
 * @returns `false` where there is no /proc
 */
export function hasEnded(pid: number, root = '/'): boolean {
  return /\) [ZX] /.test(readText(root, `/proc/${pid}/stat`) ?? '');
}

const NODE = /(^|\/)node(js)?( \(deleted\))?$/;

/**
 * Whether a process runs Node: by its executable, whose name may be another one, or by its command line, which a title that
 * the program gave itself overwrites (PM2 gives one).
 *
 * @returns `false` where there is no /proc
 */
export function isNodeProcess(pid: number, root = '/'): boolean {
  const [first = ''] = (readText(root, `/proc/${pid}/cmdline`) ?? '').split('\0', 1);
  const isNode = NODE.test(readLink(root, `/proc/${pid}/exe`) ?? '') || NODE.test(first);
  return isNode && !hasEnded(pid, root);
}

/** The process that started this one; 0 when it is not known: no such process, or no /proc. */
export function parentOf(pid: number, root = '/'): number {
  const stat = readText(root, `/proc/${pid}/stat`) ?? '';
  // Field 4; the second one is a name in brackets, which may hold anything.
  return Number(/^ \S (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 1))?.[1] ?? 0);
}

/** A process and what it started, such as the workers of a cluster. */
export function familyOf(first: number, all: readonly number[]): number[] {
  const parents = new Map(all.map((pid) => [pid, parentOf(pid)]));
  const isUnder = (pid: number): boolean => {
    const seen = new Set<number>();
    for (let one: number | undefined = pid; one !== undefined && !seen.has(one); one = parents.get(one)) {
      if (one === first) return true;
      seen.add(one);
    }
    return false;
  };
  return all.filter(isUnder);
}

/**
 * The processes whose environment mentions one of `marks`; their command lines would not do, which process.title
 * overwrites and cuts.
 *
 * @returns none where there is no /proc
 * @example
 * processesWithEnvironment(['/tmp/plimsoll-5e3f']); // [4711]
 */
export function processesWithEnvironment(marks: readonly string[], root = '/'): number[] {
  if (marks.length === 0) return [];
  return (listNames(root, '/proc') ?? []).flatMap((name) => {
    const pid = parseWhole(name);
    if (pid === null) return [];
    const environment = readText(root, `/proc/${pid}/environ`) ?? '';
    return marks.some((mark) => environment.includes(mark)) ? [pid] : [];
  });
}

/**
 * Field 22 of the text of /proc/PID/stat. Field 2 is the program's name in brackets and may itself hold spaces and
 * brackets, so count from the last closing one.
 *
 * @returns `null` for another form
 */
export function parseStartTime(stat: string): number | null {
  const afterName = stat.slice(stat.lastIndexOf(')') + 1).trim();
  // The first field after the name is number 3.
  return stat.includes(')') ? parseWhole(afterName.split(/\s+/)[22 - 3]) : null;
}
