/**
 * What a process is, and whether it is still the same: a guardian must never kill a stranger. Without /proc nothing is
 * known.
 */
import { listNumbers, parseWhole, readLink, readText, statFields } from './read.js';

const statOf = (pid: number, root: string): readonly string[] =>
  statFields(readText(root, `/proc/${pid}/stat`));

/** When a process started, in clock ticks since the machine booted; `null` when unknown. */
export const startTime = (pid: number, root = '/'): number | null => parseWhole(statOf(pid, root)[22]);

/**
 * Whether `pid` is still the process that started at `started`, which {@link startTime} gave when it was known to be
 * the right one; `false` whenever that cannot be proved.
 */
export const isSameProcess = (pid: number, started: number | null, root = '/'): boolean =>
  started !== null && startTime(pid, root) === started;

/**
 * Whether a process has ended without anybody having asked how: a zombie, as what outlives its parent becomes where no
 * init process collects it.
 */
export const hasEnded = (pid: number, root = '/'): boolean => /^[ZX]$/.test(statOf(pid, root)[3] ?? '');

/** Whether there is no such process, or only what is left of one. */
export const isGone = (pid: number, root = '/'): boolean => /^[ZX]?$/.test(statOf(pid, root)[3] ?? '');

/** The words of a process's command line, or the title that the program gave itself; none when they may not be read. */
export const commandOf = (pid: number, root = '/'): string[] =>
  (readText(root, `/proc/${pid}/cmdline`) ?? '').split('\0').filter((word) => word !== '');

/**
 * The variables that a process was started with: the value of one; `null` for all of them when they may not be read.
 */
export function environmentOf(pid: number, root = '/'): ((name: string) => string | null) | null {
  const variables = readText(root, `/proc/${pid}/environ`)?.split('\0');
  return variables === undefined
    ? null
    : (name) => variables.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** The process that started this one; 0 when it is not known. */
export const parentOf = (pid: number, root = '/'): number => parseWhole(statOf(pid, root)[4]) ?? 0;

const NODE = /(^|\/)node(js)?( \(deleted\))?$/;

/**
 * Whether a process runs Node: by its executable, whose name may be another one, or by its command line, which a title
 * that the program gave itself overwrites (PM2 gives one).
 */
export function isNodeProcess(pid: number, root = '/'): boolean {
  const [first = ''] = commandOf(pid, root);
  const isNode = NODE.test(readLink(root, `/proc/${pid}/exe`) ?? '') || NODE.test(first);
  return isNode && !hasEnded(pid, root);
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
 * The processes whose environment mentions one of `marks`; process.title overwrites and cuts a command line, but not
 * that.
 */
export function processesWithEnvironment(marks: readonly string[], root = '/'): number[] {
  if (marks.length === 0) return [];
  return (listNumbers(root, '/proc') ?? []).filter((pid) => {
    const environment = readText(root, `/proc/${pid}/environ`) ?? '';
    return marks.some((mark) => environment.includes(mark));
  });
}
