import { grouped } from '../../collections/grouped.js';
import type { Statement } from '../../results/finding.js';
import type { TracedProgram } from '../../results/trace-summary.js';
import { largestFirst, siteOf, total } from '../../trace/waits.js';
import { CAUSES, type Cause, type Site, siteText } from '../flame.js';
import { percent } from '../format.js';
import { statement } from './finding.js';

/** Together with the program's own advice five lines. */
const MOST_LINES = 4;
/** A smaller share of the time in the pool, or of all waiting, is not worth a line. */
const WORTH = 0.1;

const HELP: Readonly<Record<Cause, string>> = {
  thread: 'more threads (`plimsoll tune`)',
  core: 'more cores, or less work on them',
  blocked: '',
  loop: 'find the work that occupies the event loop (`node --cpu-prof`)',
};

const victimOf = (site: Site): string => site.request ?? siteText(site);

/** For the requests, and calls outside of requests, that wait most: the cause, the call ahead, and a remedy. */
export function waitAdvice({ waits, blocking, requests, advice }: TracedProgram): Statement[] {
  const all = total(waits);
  const named = waits.filter(({ request, kind }) => request !== null || kind !== '…');
  const lines = largestFirst(grouped(named, (wait) => victimOf(siteOf(wait)))).flatMap(([name, group]) => {
    const [cause, causeWaits] = largestFirst(grouped(group, (wait) => wait.cause))[0] ?? ['blocked', []];
    const ms = total(causeWaits);
    const request = group[0]?.request ?? null;
    const time = requests.find((one) => one.request === request)?.totalMs ?? 0;
    if (cause === 'blocked' || ms < WORTH * all || ms < WORTH * time) return [];
    const share = request === null ? null : ms / time;
    const waited = share === null ? `${name} is ` : `${percent(share)} % of the pool time of ${name} is `;
    // Must not contradict the program's own advice.
    const help = cause === 'thread' && advice.id === 'trace.more-cores' ? 'more cores' : HELP[cause];
    const ahead = cause === 'thread' && blocking.find(({ victim }) => victimOf(victim) === name)?.blocker;
    const behind = ahead ? `, behind ${siteText(ahead)}` : '';
    const move = ahead ? ', or move or limit the call ahead' : '';
    return statement('trace.waits', `${waited}${CAUSES[cause]}${behind}: ${help}${move}`, { share, cause });
  });
  return lines.slice(0, MOST_LINES);
}
