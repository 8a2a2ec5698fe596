import { usage } from '../errors.js';
import { familyOf, isGone } from '../host/processes.js';
import { listNames } from '../host/read.js';
import type { SeenProcess } from '../results/pool-activity.js';
import { nodeProcesses, type Observer } from './look.js';

/** Another one of these, or what runs this one: npx. */
const TOP = /(?:^|\/| )(?:plimsoll(?:\.js)?|plimsoll\/dist\/cli\/main\.js) top(?: |$)/;

/** One look at the processes that are asked for, but not at this one. */
export function lookAt(observer: Observer, of: number | string | undefined): SeenProcess[] {
  if (listNames('/', '/proc/self/task') === null)
    throw usage(
      'top needs /proc, which only Linux has; on other systems use plimsoll trace or @plimsoll/monitor',
    );
  const all = nodeProcesses().filter((pid) => pid !== process.pid);
  const looked = (typeof of === 'number' ? familyOf(of, all) : all).flatMap(
    (pid) => observer.look(pid) ?? [],
  );
  const seen = looked.filter(({ pid, program }) => pid === of || !TOP.test(program));
  const chosen = typeof of === 'string' ? seen.filter(({ program }) => program.includes(of)) : seen;
  if (chosen.length > 0) return chosen.toSorted((a, b) => b.busy - a.busy || a.pid - b.pid);
  if (typeof of === 'number') throw usage(noProcess(of));
  throw usage(
    of === undefined
      ? 'no Node.js process is running here'
      : `no Node.js process has ${JSON.stringify(of)} in its command line`,
  );
}

const noProcess = (pid: number): string =>
  isGone(pid) ? `there is no process ${pid}` : `process ${pid} is not a Node.js process`;
