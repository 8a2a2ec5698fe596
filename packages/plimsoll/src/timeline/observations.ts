import { slowJobLimit } from '../libuv/pool-size.js';
import type { Show, Span, TimelineExperiment } from '../results/timeline.js';

export interface ShowContext {
  readonly size: number;
  /** Cores that the process may use. */
  readonly cpus: number;
}

type Measured = Omit<TimelineExperiment, 'shows'>;

/** What the picture of one experiment shows; every sentence follows from its spans. */
export function observationsOf(experiment: Measured, context: ShowContext): Show[] {
  const rules = [mainThread, waited, competed, together, slowHalf, shared, outside, lateCallbacks, inferred];
  return rules.flatMap((rule) => rule(experiment, context) ?? []);
}

type Rule = (experiment: Measured, context: ShowContext) => Show | null;

const onPool = ({ spans }: Measured): Span[] => spans.filter(({ where }) => where === 'pool');

/** Most of a request's time. */
const MOST = 0.8;

const mainThread: Rule = ({ spans, wallMs, requests }) => {
  const main = spans.filter(({ where }) => where === 'main');
  const busy = sum(main.map(({ startMs, endMs }) => endMs - startMs));
  if (busy < MOST * wallMs) return null;
  const longest = Math.max(...main.map(({ startMs, endMs }) => endMs - startMs));
  if (spans.some(({ where }) => where === 'pool'))
    return {
      id: 'timeline.main-busy',
      text: `the main thread was busy with the requests for ${time(busy)} of ${time(wallMs)}: what they do before and after the pool takes longer than a thread needs`,
    };
  const order = requests > 1 ? 'one after the other' : 'alone';
  return {
    id: 'timeline.main-thread',
    text: `${order} on the main thread, no pool thread was used: nothing else could happen for ${time(longest)} at a time, ${time(busy)} in all`,
  };
};

/** Whether every request is one job. Chains of jobs compete at every trip, and form no waves. */
const isOneJobEach = (experiment: Measured): boolean => {
  const spans = onPool(experiment);
  return new Set(spans.map(({ request }) => request)).size === spans.length;
};

const waited: Rule = (experiment, { size }) => {
  const { requests } = experiment;
  const late = onPool(experiment).filter((span) => span.waited);
  if (late.length === 0 || !isOneJobEach(experiment) || late.some(isLookup)) return null;
  const longest = Math.max(...late.map(queueMs));
  const who = list(late.map(({ request }) => request));
  const how = late.some((span) => span.inferred) ? ' (inferred)' : '';
  return {
    id: 'timeline.waited',
    text: `${waves(requests - late.length, late.length, size)}: request${late.length > 1 ? 's' : ''} ${who} waited for a pool thread, up to ${time(longest)}${how}`,
  };
};

const queueMs = ({ submitMs, startMs }: Span): number => startMs - submitMs;

/** `4 + 2`, as long as it is short. */
function waves(first: number, others: number, size: number): string {
  const full = Math.floor(others / size);
  const rest = others % size;
  const sizes = [first, ...Array.from({ length: full }, () => size), ...(rest > 0 ? [rest] : [])];
  return sizes.length <= 6 ? sizes.join(' + ') : `${sizes.slice(0, 3).join(' + ')} + …`;
}

const competed: Rule = (experiment, { size }) => {
  const jobs = onPool(experiment);
  const late = jobs.filter((span) => span.waited);
  if (late.length === 0 || isOneJobEach(experiment)) return null;
  const share = sum(late.map(queueMs)) / sum(experiment.timings.map(({ startMs, endMs }) => endMs - startMs));
  const how = late.some((span) => span.inferred) ? ' (inferred)' : '';
  return {
    id: 'timeline.competed',
    text: `every request is a chain of jobs, ${jobs.length} in all on ${size} pool thread${size === 1 ? '' : 's'}: ${late.length} of them waited for a thread, ${(share * 100).toFixed(0)} % of the requests' time${how}`,
  };
};

const together: Rule = (experiment) => {
  const spans = onPool(experiment);
  const { requests } = experiment;
  const covered = new Set(spans.map(({ request }) => request)).size === requests;
  if (requests < 2 || !covered || spans.some((span) => span.waited)) return null;
  const used = new Set(spans.flatMap(({ thread }) => thread ?? [])).size;
  const on = used === 0 ? '' : `, on ${used} pool thread${used > 1 ? 's' : ''}`;
  const allAtOnce = atOnce(spans, ({ submitMs, callbackMs }) => [submitMs, callbackMs]) >= requests;
  return {
    id: 'timeline.together',
    text: `${allAtOnce ? `all ${requests} at once` : `${requests} requests`}${on}: none had to wait for a pool thread`,
  };
};

/** The most spans that were under way at the same time. */
function atOnce(spans: readonly Span[], bounds: (span: Span) => readonly [number, number]): number {
  const at = spans.map(bounds);
  return Math.max(
    0,
    ...at.map(([from]) => at.filter(([since, until]) => since <= from && from < until).length),
  );
}

const run = ({ startMs, endMs }: Span): [number, number] => [startMs, endMs];

const isLookup = ({ what }: Span): boolean => what === 'lookup' || what === 'lookupService';

const slowHalf: Rule = (experiment, { size }) => {
  const lookups = onPool(experiment).filter(isLookup);
  if (!lookups.some((span) => span.waited)) return null;
  const limit = slowJobLimit(size);
  const most = atOnce(lookups, run);
  return {
    id: 'timeline.half-for-lookups',
    text: `${most} at a time: of ${size} pool threads only ${limit} serve${limit === 1 ? 's' : ''} lookups (inferred from when each came back)`,
  };
};

/** How much longer than its CPU time a job must have taken to say that it shared a core. */
const SLOWED = 1.3;

const shared: Rule = (experiment, { cpus }) => {
  const jobs = onPool(experiment).filter(({ cpuMs }) => cpuMs !== null);
  const cpu = sum(jobs.map(({ cpuMs }) => cpuMs ?? 0));
  const ran = sum(jobs.map(({ startMs, endMs }) => endMs - startMs));
  const { wallMs } = experiment;
  const most = atOnce(jobs, run);
  if (cpu === 0 || ran / cpu < SLOWED || ran < VISIBLE * wallMs) return null;
  const slowed = `each took ${factor(ran / cpu)} its CPU time`;
  // Busy cores are what makes this a matter of cores, and not of blocking.
  if (most > cpus && cpu >= MOST * Math.min(cpus, most) * wallMs)
    return {
      id: 'timeline.shared-cores',
      text: `${slowed}: up to ${most} threads on ${Number(cpus.toFixed(1))} core${cpus === 1 ? '' : 's'}`,
    };
  return {
    id: 'timeline.off-cpu',
    text: `${slowed}: the rest they waited, for a core that something else on this machine had, or for something that is no CPU`,
  };
};

const factor = (value: number): string =>
  Math.abs(value - 2) < 0.15 ? 'twice' : `${value.toFixed(1)} times`;

const outside: Rule = ({ spans, requests }) => {
  const waits = spans.filter(({ where }) => where === 'kernel');
  if (waits.length === 0 || spans.some(({ where }) => where === 'pool')) return null;
  const most = atOnce(waits, run);
  const how = requests === 1 ? 'no' : most === requests ? 'all in parallel, no' : `up to ${most} at once, no`;
  const kinds = [...new Set(waits.map(({ what }) => what))].filter((what) => what !== 'unknown');
  const why =
    kinds.length === 0
      ? ' that Node tells of'
      : `: they waited for a ${kinds.join(', ')}, which the kernel watches`;
  return { id: 'timeline.no-pool', text: `${how} pool thread was used${why}` };
};

/** A share of a job's time that a reader will see in the picture. */
const VISIBLE = 0.05;

const lateCallbacks: Rule = (experiment) => {
  const late = onPool(experiment).filter(
    ({ endMs, callbackMs, inferred: guessed }) =>
      !guessed && callbackMs - endMs > VISIBLE * experiment.wallMs,
  );
  if (late.length === 0) return null;
  const longest = Math.max(...late.map(({ endMs, callbackMs }) => callbackMs - endMs));
  return {
    id: 'timeline.late-callbacks',
    text: `${late.length === 1 ? 'one result' : `${late.length} results`} waited for the event loop, up to ${time(longest)}`,
  };
};

const inferred: Rule = (experiment) =>
  onPool(experiment).some((span) => span.inferred)
    ? {
        id: 'timeline.inferred',
        text: 'of fs and dns Node tells only when a job was submitted and when it came back; when it ran is inferred from the order of the queue',
      }
    : null;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const list = (items: readonly number[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

const time = (ms: number): string => (ms >= 10 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(1)} ms`);
