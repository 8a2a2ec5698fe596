import type { MeasuredTimeline } from '../../classify/draw.js';
import { sum } from '../../collections/sum.js';
import { slowJobLimit } from '../../libuv/pool-size.js';
import type { Statement } from '../../results/finding.js';
import type { Span, Timeline, TimelineExperiment } from '../../results/timeline.js';
import { formatCount, formatDecimal, formatMs } from '../format.js';
import { findAll, type RuleOver, statement } from './finding.js';

export const observed = ({ experiments, environment, size, ...known }: MeasuredTimeline): Timeline => ({
  ...{ ...known, environment, size },
  experiments: experiments.map((experiment) => ({
    ...experiment,
    observations: observationsOf(experiment, { size, cpus: environment.cpu.effectiveCpus }),
  })),
});

interface Context {
  readonly size: number;
  readonly cpus: number;
}

type Experiment = Omit<TimelineExperiment, 'observations'>;
type Rule = RuleOver<[experiment: Experiment, context: Context], Statement>;

/** What the picture does not say by itself. */
export const observationsOf = (experiment: Experiment, context: Context): Statement[] =>
  findAll([mainThread, queued, slowHalf, offCpu, outside], experiment, context);

const onPool = ({ spans }: Experiment): Span[] => spans.filter(({ where }) => where === 'pool');
const onThreadMs = ({ startMs, endMs }: Span): number => endMs - startMs;
const isLookup = ({ what }: Span): boolean => what === 'lookup' || what === 'lookupService';

/** The most spans that ran at one time. */
function atOnce(spans: readonly Span[]): number {
  const runningAt = (ms: number): number =>
    spans.filter(({ startMs, endMs }) => startMs <= ms && ms < endMs).length;
  return Math.max(0, ...spans.map(({ startMs }) => runningAt(startMs)));
}

const MOST = 0.8;

const mainThread: Rule = ({ spans, wallMs, requests }) => {
  const main = spans.filter(({ where }) => where === 'main');
  const busyMs = sum(main.map(onThreadMs));
  if (busyMs < MOST * wallMs) return null;
  if (spans.some(({ where }) => where === 'pool')) {
    const text = `the main thread spent ${formatMs(busyMs)} of ${formatMs(wallMs)} on the requests: their work before and after the pool takes longer than their work on a pool thread`;
    return statement('timeline.main-busy', text, { busyMs, wallMs });
  }
  const longestMs = Math.max(...main.map(onThreadMs));
  const text = `${requests > 1 ? 'the requests ran one after the other' : 'the request ran alone'} on the main thread, without a pool thread: nothing else could run for ${formatMs(longestMs)} at a time, ${formatMs(busyMs)} in total`;
  return statement('timeline.main-thread', text, { requests, longestMs, busyMs });
};

/** Where each request is one job: chains of jobs compete at every step, and form no waves. */
const queued: Rule = (experiment, { size }) => {
  const jobs = onPool(experiment);
  const late = jobs.filter((span) => span.queued);
  const isOneJobEach = new Set(jobs.map(({ request }) => request)).size === jobs.length;
  if (late.length === 0 || !isOneJobEach || late.some(isLookup)) return null;
  const waves = [experiment.requests - late.length];
  for (let left = late.length; left > 0; left -= size) waves.push(Math.min(size, left));
  const longestMs = Math.max(...late.map(({ submitMs, startMs }) => startMs - submitMs));
  const inferred = late.some((span) => span.inferred);
  const text = `${sumOf(waves)}: ${formatCount(late.length, 'request')} waited for a pool thread, up to ${formatMs(longestMs)}${inferred ? ' (inferred)' : ''}`;
  return statement('timeline.waited', text, { waves, longestMs, inferred });
};

const MOST_WAVES = 6;

/** `4 + 2`, as long as it is short. */
const sumOf = (waves: readonly number[]): string =>
  waves.length <= MOST_WAVES ? waves.join(' + ') : `${waves.slice(0, 3).join(' + ')} + …`;

const slowHalf: Rule = (experiment, { size }) => {
  const lookups = onPool(experiment).filter(isLookup);
  if (!lookups.some((span) => span.queued)) return null;
  const most = atOnce(lookups);
  const limit = slowJobLimit(size);
  const text = `up to ${formatCount(most, 'lookup')} ran at a time: only ${limit} of ${formatCount(size, 'pool thread')} ${limit === 1 ? 'serves' : 'serve'} lookups (inferred from the completion times)`;
  return statement('timeline.half-for-lookups', text, { atOnce: most, size, limit });
};

/** How much longer than its CPU time a job must have taken to say that it shared a core. */
const SLOWED = 1.3;
/** A share of the time that a reader will see in the picture. */
const VISIBLE = 0.05;

const offCpu: Rule = (experiment, { cpus }) => {
  const jobs = onPool(experiment).filter(({ cpuMs }) => cpuMs !== null);
  const cpu = sum(jobs.map(({ cpuMs }) => cpuMs ?? 0));
  const ran = sum(jobs.map(onThreadMs));
  const { wallMs } = experiment;
  const threads = atOnce(jobs);
  if (cpu === 0 || ran / cpu < SLOWED || ran < VISIBLE * wallMs) return null;
  const slowdown = ran / cpu;
  const times = Math.abs(slowdown - 2) < 0.15 ? 'twice' : `${formatDecimal(slowdown)} times`;
  // Busy cores are what makes this a matter of cores, and not of blocking.
  if (threads > cpus && cpu >= MOST * Math.min(cpus, threads) * wallMs) {
    const text = `each job took ${times} its CPU time: up to ${threads} threads shared ${formatCount(cpus, 'core')}`;
    return statement('timeline.shared-cores', text, { slowdown, threads, cpus });
  }
  const text = `each job took ${times} its CPU time: the rest was a wait for a core that another program used, or for a disk or a lock`;
  return statement('timeline.off-cpu', text, { slowdown });
};

const outside: Rule = ({ spans, requests, wallMs }) => {
  const waits = spans.filter(({ where }) => where === 'kernel');
  const isVisible = sum(waits.map(onThreadMs)) > VISIBLE * wallMs;
  if (!isVisible || spans.some(({ where }) => where === 'pool')) return null;
  const waitedFor = [...new Set(waits.map(({ what }) => what))].filter((what) => what !== 'unknown');
  const most = atOnce(waits);
  const how = requests === 1 ? '' : `up to ${most} ran at once; `;
  const why =
    waitedFor.length === 0
      ? '; Node does not report what the wait was for'
      : `: the wait was for a ${waitedFor.join(', ')}, which the kernel watches`;
  const text = `${how}no pool thread was used${why}`;
  return statement('timeline.no-pool', text, { requests, atOnce: most, waitedFor });
};
