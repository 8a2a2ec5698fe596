import { grouped } from '../../collections/grouped.js';
import { sum } from '../../collections/sum.js';
import type { Statement } from '../../results/finding.js';
import type { TracedProgram } from '../../results/trace-summary.js';
import { siteOf } from '../../trace/waits.js';
import { CAUSES, type Cause, siteText, type Wait } from '../flame.js';
import { percent } from '../format.js';
import { statement } from './finding.js';

/** Together with the program's own advice five lines. */
const MOST_LINES = 4;
/** A smaller share of the time in the pool, or of all waiting, is not worth a line. */
const WORTH = 0.1;

/** For the requests, and calls outside of requests, that wait most: the cause, the call ahead, and a remedy. */
export function waitAdvice({ waits, requests, advice }: TracedProgram): Statement[] {
  const all = total(waits);
  const named = waits.filter(({ request, kind }) => request !== null || kind !== '…');
  const victims = grouped(named, (wait) => wait.request ?? siteText(siteOf(wait)));
  return [...victims]
    .sort((a, b) => total(b[1]) - total(a[1]))
    .flatMap(([name, own]) => {
      const [cause, ms] = largest(own.map((wait) => [wait.cause, wait.ms] as const)) ?? ['thread', 0];
      const time = requests.find(({ request }) => request === own[0]?.request)?.totalMs ?? 0;
      if (cause === 'blocked' || ms < WORTH * all || ms < WORTH * time) return [];
      const share = own[0]?.request == null ? null : ms / time;
      return [line(name, cause, share, own, advice.id)];
    })
    .slice(0, MOST_LINES);
}

const total = (waits: readonly Wait[]): number => sum(waits.map(({ ms }) => ms));

function largest<Key extends string>(parts: readonly (readonly [Key, number])[]): [Key, number] | undefined {
  const sums = [...grouped(parts, ([key]) => key)].map(([key, alike]): [Key, number] => [
    key,
    sum(alike.map(([, ms]) => ms)),
  ]);
  return sums.sort((a, b) => b[1] - a[1])[0];
}

const HELP: Readonly<Record<Cause, string>> = {
  thread: 'more threads (`plimsoll tune`)',
  core: 'more cores, or less work on them',
  blocked: '',
  loop: 'find the work that occupies the event loop (`node --cpu-prof`)',
};
function line(
  name: string,
  cause: Cause,
  share: number | null,
  waits: readonly Wait[],
  adviceId: string,
): Statement {
  const waited = share === null ? `${name} is ` : `${percent(share)} % of the pool time of ${name} is `;
  const [blocker] =
    largest(waits.flatMap(({ behind, ms }) => (behind === null ? [] : [[siteText(behind), ms] as const]))) ??
    [];
  const isBehind = cause === 'thread' && blocker !== undefined;
  // Must not contradict the program's own advice.
  const help = cause === 'thread' && adviceId === 'trace.more-cores' ? 'more cores' : HELP[cause];
  const text = `${waited}${CAUSES[cause]}${isBehind ? `, behind ${blocker}` : ''}: ${help}${isBehind ? ', or move or limit the call ahead' : ''}`;
  return statement('trace.waits', text, { share, cause });
}
