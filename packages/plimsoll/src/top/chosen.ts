import { usage } from '../errors.js';
import { familyOf, isGone } from '../host/processes.js';
import { listNames } from '../host/read.js';
import type { SeenProcess } from '../results/pool-activity.js';
import { nodeProcesses, type Observer } from './look.js';

/** A plimsoll top, or the npx that runs it. */
const TOP = /(?:^|\/| )(?:plimsoll(?:\.js)?|plimsoll\/dist\/cli\/main\.js) top(?: |$)/;

/** One look at the chosen processes, without this one. */
export function lookAt(observer: Observer, of: number | string | undefined): SeenProcess[] {
  if (listNames('/', '/proc/self/task') === null)
    throw usage(
      'top needs /proc, which only Linux has; on other systems use plimsoll trace or @plimsoll/monitor',
    );
  const all = nodeProcesses().filter((pid) => pid !== process.pid);
  const family = typeof of === 'number' ? familyOf(of, all) : all;
  const seen = family
    .flatMap((pid) => observer.look(pid) ?? [])
    .filter(({ pid, program }) => pid === of || !TOP.test(program));
  const chosen = typeof of === 'string' ? seen.filter(({ program }) => program.includes(of)) : seen;
  if (chosen.length > 0) return chosen.toSorted((a, b) => b.busy - a.busy || a.pid - b.pid);
  if (of === undefined) throw usage('no Node.js process is running here');
  if (typeof of === 'string') throw usage(`no Node.js process has ${JSON.stringify(of)} in its command line`);
  throw usage(isGone(of) ? `there is no process ${of}` : `process ${of} is not a Node.js process`);
}
