/** What a process is, and whether it is still the same: a guardian must never kill a stranger. Without /proc nothing is known. */
import { PlimsollError, usage } from '../errors.js';
import { listThreads } from './pool-threads.js';
import { listNumbers, parseWhole, readLink, readText, statFields } from './read.js';

const statOf = (pid: number, root: string): readonly string[] =>
  statFields(readText(root, `/proc/${pid}/stat`));

/** When a process started, in clock ticks since the machine booted; `null` when unknown. */
export const startTime = (pid: number, root = '/'): number | null => parseWhole(statOf(pid, root)[22]);

/** Whether `pid` is still the process with this `startTime`; `false` whenever it cannot be proved. */
export const isSameProcess = (pid: number, started: number | null, root = '/'): boolean =>
  started !== null && startTime(pid, root) === started;

/** It is a zombie, as a process that outlives its parent becomes where no init collects it. */
export const hasEnded = (pid: number, root = '/'): boolean => /^[ZX]$/.test(statOf(pid, root)[3] ?? '');

export const isGone = (pid: number, root = '/'): boolean => /^[ZX]?$/.test(statOf(pid, root)[3] ?? '');

/** The words of a command line, or the title that the program set; none when they may not be read. */
export const commandOf = (pid: number, root = '/'): string[] =>
  (readText(root, `/proc/${pid}/cmdline`) ?? '').split('\0').filter((word) => word !== '');

/** The variables that a process was started with; `null` when they may not be read. */
export function environmentOf(pid: number, root = '/'): ((name: string) => string | null) | null {
  const variables = readText(root, `/proc/${pid}/environ`)?.split('\0');
  return variables === undefined
    ? null
    : (name) => variables.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

export const groupMembers = (group: number): number[] =>
  (listNumbers('/', '/proc') ?? []).filter((pid) => parseWhole(statOf(pid, '/')[5]) === group);

/** Linux reports times in USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time of the ended children of this process, with the children that they waited for; `null` without /proc. */
export function endedChildrenSeconds(root = '/'): number | null {
  const stat = statFields(readText(root, '/proc/self/stat'));
  const [user, system] = [parseWhole(stat[16]), parseWhole(stat[17])];
  return user === null || system === null ? null : (user + system) / TICKS_PER_SECOND;
}

export const parentOf = (pid: number, root = '/'): number => parseWhole(statOf(pid, root)[4]) ?? 0;

const NODE = /(^|\/)node(js)?( \(deleted\))?$/;

/** By the executable, which may have been renamed, or by the command line, which a process title overwrites (as PM2's does). */
export function isNodeProcess(pid: number, root = '/'): boolean {
  const [first = ''] = commandOf(pid, root);
  const isNode = NODE.test(readLink(root, `/proc/${pid}/exe`) ?? '') || NODE.test(first);
  return isNode && !hasEnded(pid, root);
}

export function familyOf(first: number, all: readonly number[]): number[] {
  const parents = all.map((pid) => [pid, parentOf(pid)] as const);
  const family = new Set([first]);
  // Iteration over a set includes members that are added meanwhile.
  for (const ancestor of family)
    for (const [pid, parent] of parents) if (parent === ancestor) family.add(pid);
  return all.filter((pid) => family.has(pid));
}

/** The processes whose environment mentions one of `marks`; a process title does not overwrite the environment. */
export function processesWithEnvironment(marks: readonly string[], root = '/'): number[] {
  if (marks.length === 0) return [];
  return (listNumbers(root, '/proc') ?? []).filter((pid) => {
    const environment = readText(root, `/proc/${pid}/environ`) ?? '';
    return marks.some((mark) => environment.includes(mark));
  });
}

/** @returns a reader of the variables that a Node process was started with. @throws when it cannot be examined from outside. */
export function nodeProcess(pid: number, root = '/'): (name: string) => string | null {
  if (readText(root, '/proc/self/stat') === null)
    throw usage('inspecting a running process needs /proc, which only Linux has');
  if (isGone(pid, root)) throw new PlimsollError('PLIMSOLL_NO_PROCESS', `there is no process ${pid}`);
  if (!isNodeProcess(pid, root) && !hasThreadsOfNode(pid, root))
    throw new PlimsollError('PLIMSOLL_NOT_NODE', `process ${pid} is not a Node.js process`);
  const variable = environmentOf(pid, root);
  if (variable === null) throw notPermitted(pid);
  return variable;
}

/** Permissions on a process depend on its user, and for root on its container. */
export const notPermitted = (pid: number): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_NOT_PERMITTED',
    process.getuid?.() === 0
      ? `plimsoll may not inspect process ${pid}, even as root, because it lacks CAP_SYS_PTRACE, as in a container; run plimsoll on the host, or with --cap-add SYS_PTRACE`
      : `process ${pid} belongs to another user, so plimsoll may not inspect it; run plimsoll as that user, or as root`,
  );

/** A single executable application, or a process with a title, is known by its threads only. */
const hasThreadsOfNode = (pid: number, root: string): boolean =>
  (listThreads(pid, root) ?? []).some(({ name }) => /^(V8Worker|DelayedTaskSche|SignalInspector)/.test(name));
