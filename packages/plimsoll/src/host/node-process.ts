import { PlimsollError, usage } from '../errors.js';
import { listThreads } from './pool-threads.js';
import { environmentOf, isGone, isNodeProcess } from './processes.js';
import { readText } from './read.js';

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
