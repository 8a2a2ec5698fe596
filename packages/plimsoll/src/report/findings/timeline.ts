import type { ObservationFact } from '../../classify/observations.js';
import type { Statement } from '../../results/finding.js';
import { formatCount, formatDecimal, formatMs, list, percent } from '../format.js';
import { statement, type Texts } from './statement.js';

/** What the picture of an experiment shows, in a sentence each. */
export const observations = (facts: readonly ObservationFact[]): Statement[] =>
  facts.map((fact) => statement(fact, TEXTS));

const TEXTS: Texts<ObservationFact> = {
  'timeline.main-busy': ({ busyMs, wallMs }) =>
    `the main thread was busy with the requests for ${formatMs(busyMs)} of ${formatMs(wallMs)}: what they do before and after the pool takes longer than a thread needs`,
  'timeline.main-thread': ({ requests, longestMs, busyMs }) =>
    `${requests > 1 ? 'one after the other' : 'alone'} on the main thread, no pool thread was used: nothing else could happen for ${formatMs(longestMs)} at a time, ${formatMs(busyMs)} in all`,
  'timeline.waited': ({ waves, requests, longestMs, inferred }) =>
    `${sumOf(waves)}: request${requests.length > 1 ? 's' : ''} ${list(ranges(requests))} waited for a pool thread, up to ${formatMs(longestMs)}${mark(inferred)}`,
  'timeline.competed': ({ jobs, size, queuedJobs, queueShare, inferred }) =>
    `every request is a chain of jobs, ${jobs} in all on ${formatCount(size, 'pool thread')}: ${queuedJobs} of them waited for a thread, ${percent(queueShare)} % of the requests’ time${mark(inferred)}`,
  'timeline.together': ({ requests, threads, allAtOnce }) =>
    `${allAtOnce ? `all ${requests} at once` : `${requests} requests`}${threads === 0 ? '' : `, on ${formatCount(threads, 'pool thread')}`}: none had to wait for a pool thread`,
  'timeline.half-for-lookups': ({ atOnce, size, limit }) =>
    `${atOnce} at a time: of ${size} pool threads only ${limit} serve${limit === 1 ? 's' : ''} lookups (inferred from when each came back)`,
  'timeline.shared-cores': ({ slowdown, threads, cpus }) =>
    `${slowed(slowdown)}: up to ${threads} threads on ${formatCount(cpus, 'core')}`,
  'timeline.off-cpu': ({ slowdown }) =>
    `${slowed(slowdown)}: the rest they waited, for a core that another program had, or for something other than a CPU (a disk, a lock)`,
  'timeline.no-pool': ({ requests, atOnce, waitedFor }) => {
    const how = requests === 1 ? '' : atOnce === requests ? 'all in parallel, ' : `up to ${atOnce} at once, `;
    const why =
      waitedFor.length === 0
        ? '; Node does not tell what they waited for'
        : `: they waited for a ${waitedFor.join(', ')}, which the kernel watches`;
    return `${how}no pool thread was used${why}`;
  },
  'timeline.late-callbacks': ({ results, longestMs }) =>
    `${results === 1 ? 'one result' : `${results} results`} waited for the event loop, up to ${formatMs(longestMs)}`,
  'timeline.inferred': () =>
    'of fs and dns jobs Node reports submission and completion only; when they ran is inferred from the order of the queue',
};

const mark = (inferred: boolean): string => (inferred ? ' (inferred)' : '');

const slowed = (slowdown: number): string =>
  `each took ${Math.abs(slowdown - 2) < 0.15 ? 'twice' : `${formatDecimal(slowdown)} times`} its CPU time`;

const MOST_WAVES = 6;

/** `4 + 2`, as long as it is short. */
const sumOf = (waves: readonly number[]): string =>
  waves.length <= MOST_WAVES ? waves.join(' + ') : `${waves.slice(0, 3).join(' + ')} + …`;

/** `3`, `5 to 9`: neighbours together. */
function ranges(numbers: readonly number[]): string[] {
  const found: [first: number, last: number][] = [];
  for (const number of numbers) {
    const current = found.at(-1);
    if (current?.[1] === number - 1) current[1] = number;
    else found.push([number, number]);
  }
  return found.flatMap(([first, last]) =>
    last - first < 2 ? [...new Set([first, last])].map(String) : [`${first} to ${last}`],
  );
}
