import { slowJobLimit } from '../libuv/pool-size.js';
import type { Span, TimelineExperiment } from '../results/timeline.js';

/** Something that the picture of an experiment shows, with its numbers; `report/` says it in a sentence. */
export type ObservationFact =
  | { readonly id: 'timeline.main-busy'; readonly busyMs: number; readonly wallMs: number }
  | {
      readonly id: 'timeline.main-thread';
      readonly requests: number;
      /** The longest time that one request had the thread. */
      readonly longestMs: number;
      readonly busyMs: number;
    }
  | {
      readonly id: 'timeline.waited';
      /** How many requests found a free thread, and how many each time after that. */
      readonly waves: readonly number[];
      /** Those that waited, counted from 1. */
      readonly requests: readonly number[];
      readonly longestMs: number;
      readonly inferred: boolean;
    }
  | {
      readonly id: 'timeline.competed';
      readonly jobs: number;
      readonly size: number;
      readonly queuedJobs: number;
      /** Of the time of all requests. */
      readonly queueShare: number;
      readonly inferred: boolean;
    }
  | {
      readonly id: 'timeline.together';
      readonly requests: number;
      /** Pool threads that were used; 0 when not known. */
      readonly threads: number;
      readonly allAtOnce: boolean;
    }
  | {
      readonly id: 'timeline.half-for-lookups';
      readonly atOnce: number;
      readonly size: number;
      readonly limit: number;
    }
  | {
      readonly id: 'timeline.shared-cores';
      /** Time on a thread ÷ CPU time. */
      readonly slowdown: number;
      readonly threads: number;
      readonly cpus: number;
    }
  | { readonly id: 'timeline.off-cpu'; readonly slowdown: number }
  | {
      readonly id: 'timeline.no-pool';
      readonly requests: number;
      readonly atOnce: number;
      /** `socket`, `timer` …; none when Node does not tell. */
      readonly waitedFor: readonly string[];
    }
  | { readonly id: 'timeline.late-callbacks'; readonly results: number; readonly longestMs: number }
  | { readonly id: 'timeline.inferred' };

export interface ObservationContext {
  readonly size: number;
  /** Cores that the process may use. */
  readonly cpus: number;
}

type Measured = Omit<TimelineExperiment, 'observations'>;

/** What the picture of one experiment shows; all of it follows from its spans. */
export function observationsOf(experiment: Measured, context: ObservationContext): ObservationFact[] {
  const rules = [mainThread, queued, competed, together, slowHalf, shared, outside, lateCallbacks, inferred];
  return rules.flatMap((rule) => rule(experiment, context) ?? []);
}

type Rule = (experiment: Measured, context: ObservationContext) => ObservationFact | null;

const onPool = ({ spans }: Measured): Span[] => spans.filter(({ where }) => where === 'pool');

/** Most of a request's time. */
const MOST = 0.8;

const mainThread: Rule = ({ spans, wallMs, requests }) => {
  const main = spans.filter(({ where }) => where === 'main');
  const busyMs = sum(main.map(({ startMs, endMs }) => endMs - startMs));
  if (busyMs < MOST * wallMs) return null;
  if (spans.some(({ where }) => where === 'pool')) return { id: 'timeline.main-busy', busyMs, wallMs };
  const longestMs = Math.max(...main.map(({ startMs, endMs }) => endMs - startMs));
  return { id: 'timeline.main-thread', requests, longestMs, busyMs };
};

/** Whether every request is one job. Chains of jobs compete at every trip, and form no waves. */
const isOneJobEach = (experiment: Measured): boolean => {
  const spans = onPool(experiment);
  return new Set(spans.map(({ request }) => request)).size === spans.length;
};

const queued: Rule = (experiment, { size }) => {
  const { requests } = experiment;
  const late = onPool(experiment).filter((span) => span.queued);
  if (late.length === 0 || !isOneJobEach(experiment) || late.some(isLookup)) return null;
  return {
    id: 'timeline.waited',
    waves: waves(requests - late.length, late.length, size),
    requests: late.map(({ request }) => request),
    longestMs: Math.max(...late.map(queueMs)),
    inferred: late.some((span) => span.inferred),
  };
};

const queueMs = ({ submitMs, startMs }: Span): number => startMs - submitMs;

function waves(first: number, others: number, size: number): number[] {
  const full = Math.floor(others / size);
  const rest = others % size;
  return [first, ...Array.from({ length: full }, () => size), ...(rest > 0 ? [rest] : [])];
}

const competed: Rule = (experiment, { size }) => {
  const jobs = onPool(experiment);
  const late = jobs.filter((span) => span.queued);
  if (late.length === 0 || isOneJobEach(experiment)) return null;
  const whole = sum(experiment.timings.map(({ startMs, endMs }) => endMs - startMs));
  return {
    id: 'timeline.competed',
    jobs: jobs.length,
    size,
    queuedJobs: late.length,
    queueShare: sum(late.map(queueMs)) / whole,
    inferred: late.some((span) => span.inferred),
  };
};

const together: Rule = (experiment) => {
  const spans = onPool(experiment);
  const { requests } = experiment;
  const covered = new Set(spans.map(({ request }) => request)).size === requests;
  if (requests < 2 || !covered || spans.some((span) => span.queued)) return null;
  return {
    id: 'timeline.together',
    requests,
    threads: new Set(spans.flatMap(({ thread }) => thread ?? [])).size,
    allAtOnce: atOnce(spans, ({ submitMs, callbackMs }) => [submitMs, callbackMs]) >= requests,
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
  if (!lookups.some((span) => span.queued)) return null;
  return { id: 'timeline.half-for-lookups', atOnce: atOnce(lookups, run), size, limit: slowJobLimit(size) };
};

/** How much longer than its CPU time a job must have taken to say that it shared a core. */
const SLOWED = 1.3;

const shared: Rule = (experiment, { cpus }) => {
  const jobs = onPool(experiment).filter(({ cpuMs }) => cpuMs !== null);
  const cpu = sum(jobs.map(({ cpuMs }) => cpuMs ?? 0));
  const ran = sum(jobs.map(({ startMs, endMs }) => endMs - startMs));
  const { wallMs } = experiment;
  const threads = atOnce(jobs, run);
  if (cpu === 0 || ran / cpu < SLOWED || ran < VISIBLE * wallMs) return null;
  const slowdown = ran / cpu;
  // Busy cores are what makes this a matter of cores, and not of blocking.
  return threads > cpus && cpu >= MOST * Math.min(cpus, threads) * wallMs
    ? { id: 'timeline.shared-cores', slowdown, threads, cpus }
    : { id: 'timeline.off-cpu', slowdown };
};

const outside: Rule = ({ spans, requests }) => {
  const waits = spans.filter(({ where }) => where === 'kernel');
  if (waits.length === 0 || spans.some(({ where }) => where === 'pool')) return null;
  const waitedFor = [...new Set(waits.map(({ what }) => what))].filter((what) => what !== 'unknown');
  return { id: 'timeline.no-pool', requests, atOnce: atOnce(waits, run), waitedFor };
};

/** A share of a job's time that a reader will see in the picture. */
const VISIBLE = 0.05;

const lateCallbacks: Rule = (experiment) => {
  const late = onPool(experiment).filter(
    ({ endMs, callbackMs, inferred: guessed }) =>
      !guessed && callbackMs - endMs > VISIBLE * experiment.wallMs,
  );
  if (late.length === 0) return null;
  const longestMs = Math.max(...late.map(({ endMs, callbackMs }) => callbackMs - endMs));
  return { id: 'timeline.late-callbacks', results: late.length, longestMs };
};

const inferred: Rule = (experiment) =>
  onPool(experiment).some((span) => span.inferred) ? { id: 'timeline.inferred' } : null;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
