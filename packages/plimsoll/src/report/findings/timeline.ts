import type { MeasuredTimeline } from '../../classify/draw.js';
import { sum } from '../../collections/sum.js';
import { slowJobLimit } from '../../libuv/pool-size.js';
import type { Statement } from '../../results/finding.js';
import type { Span, Timeline, TimelineExperiment } from '../../results/timeline.js';
import { formatCount, formatDecimal, formatMs, percent } from '../format.js';
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

export function observationsOf(experiment: Experiment, context: Context): Statement[] {
  const rules = [mainThread, queued, competed, together, slowHalf, shared, outside, lateCallbacks, inferred];
  return findAll(rules, experiment, context);
}

type Rule = RuleOver<[experiment: Experiment, context: Context], Statement>;

const onPool = ({ spans }: Experiment): Span[] => spans.filter(({ where }) => where === 'pool');

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

const queueMs = ({ submitMs, startMs }: Span): number => startMs - submitMs;
const onThreadMs = ({ startMs, endMs }: Span): number => endMs - startMs;

/** Whether every request is one job. Chains of jobs compete at every trip, and form no waves. */
const isOneJobEach = (experiment: Experiment): boolean => {
  const spans = onPool(experiment);
  return new Set(spans.map(({ request }) => request)).size === spans.length;
};

const queued: Rule = (experiment, { size }) => {
  const late = onPool(experiment).filter((span) => span.queued);
  if (late.length === 0 || !isOneJobEach(experiment) || late.some(isLookup)) return null;
  const waves = [experiment.requests - late.length];
  for (let left = late.length; left > 0; left -= size) waves.push(Math.min(size, left));
  const longestMs = Math.max(...late.map(queueMs));
  const isInferred = late.some((span) => span.inferred);
  const text = `${sumOf(waves)}: ${formatCount(late.length, 'request')} waited for a pool thread, up to ${formatMs(longestMs)}${mark(isInferred)}`;
  return statement('timeline.waited', text, { waves, longestMs, inferred: isInferred });
};

const competed: Rule = (experiment, { size }) => {
  const jobs = onPool(experiment);
  const late = jobs.filter((span) => span.queued);
  if (late.length === 0 || isOneJobEach(experiment)) return null;
  const whole = sum(experiment.timings.map(({ startMs, endMs }) => endMs - startMs));
  const queueShare = sum(late.map(queueMs)) / whole;
  const isInferred = late.some((span) => span.inferred);
  const text = `each request is a chain of jobs, ${jobs.length} in total on ${formatCount(size, 'pool thread')}; ${late.length} jobs waited for a thread, for ${percent(queueShare)} % of the requests’ time${mark(isInferred)}`;
  const evidence = { jobs: jobs.length, size, queuedJobs: late.length, queueShare, inferred: isInferred };
  return statement('timeline.competed', text, evidence);
};

const together: Rule = (experiment) => {
  const spans = onPool(experiment);
  const { requests } = experiment;
  const covered = new Set(spans.map(({ request }) => request)).size === requests;
  if (requests < 2 || !covered || spans.some((span) => span.queued)) return null;
  const threads = new Set(spans.flatMap(({ thread }) => thread ?? [])).size;
  const text = `${requests} requests ran${threads === 0 ? '' : ` on ${formatCount(threads, 'pool thread')}`}; none waited for a pool thread`;
  return statement('timeline.together', text, { requests, threads });
};

/** The most spans that ran at one time. */
const atOnce = (spans: readonly Span[]): number =>
  Math.max(
    0,
    ...spans.map(
      ({ startMs: at }) => spans.filter(({ startMs, endMs }) => startMs <= at && at < endMs).length,
    ),
  );

const isLookup = ({ what }: Span): boolean => what === 'lookup' || what === 'lookupService';

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

const shared: Rule = (experiment, { cpus }) => {
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

const outside: Rule = ({ spans, requests }) => {
  const waits = spans.filter(({ where }) => where === 'kernel');
  if (waits.length === 0 || spans.some(({ where }) => where === 'pool')) return null;
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

/** A share of a job's time that a reader will see in the picture. */
const VISIBLE = 0.05;

const lateCallbacks: Rule = (experiment) => {
  const late = onPool(experiment)
    .filter((span) => !span.inferred)
    .map(({ endMs, callbackMs }) => callbackMs - endMs)
    .filter((ms) => ms > VISIBLE * experiment.wallMs);
  if (late.length === 0) return null;
  const longestMs = Math.max(...late);
  const text = `${late.length === 1 ? 'one result' : `${late.length} results`} waited for the event loop, up to ${formatMs(longestMs)}`;
  return statement('timeline.late-callbacks', text, { results: late.length, longestMs });
};

const INFERRED =
  'Node reports only the submission and completion of fs and dns jobs; their running times are inferred from the queue order';

const inferred: Rule = (experiment) =>
  onPool(experiment).some((span) => span.inferred) && statement('timeline.inferred', INFERRED);

const mark = (inferred: boolean): string => (inferred ? ' (inferred)' : '');

const MOST_WAVES = 6;

/** `4 + 2`, as long as it is short. */
const sumOf = (waves: readonly number[]): string =>
  waves.length <= MOST_WAVES ? waves.join(' + ') : `${waves.slice(0, 3).join(' + ')} + …`;
