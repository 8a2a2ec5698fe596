import { eventLoopDelay, meanEventLoopDelay } from '../../stats/event-loop-delay.js';
import type ring from '../child/ring.cjs';
import type { Window } from '../window.js';

/** What an agent tells every few milliseconds; see child/wire.cts. */
export interface Sample {
  readonly at: number;
  readonly cpuMs: number;
  readonly turn: number;
  readonly busy: number;
  readonly lost: number;
  readonly open: readonly number[];
  readonly records: Float64Array;
}

/** What one process told. */
export interface ProcessLog {
  readonly samples: readonly Sample[];
  readonly routes: ReadonlyMap<number, string>;
}

/** A stretch of time, in milliseconds on the machine's monotonic clock. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

type Figures = Pick<
  Window,
  | 'seconds'
  | 'completed'
  | 'routes'
  | 'failed'
  | 'unfinished'
  | 'inFlightGrowth'
  | 'loopDelayMs'
  | 'cpuCores'
  | 'busyThreads'
>;

type Kinds = (typeof ring)['KIND'];
const ANSWERED: Kinds['answered'] = 0;
const FAILED: Kinds['failed'] = 1;
const ABORTED: Kinds['aborted'] = 2;
const TURN: Kinds['turn'] = 3;
/** Between two turns that are seen, when the event loop is free. */
export const TURN_MS = 2;

/** Call for each record: its start, its end, its kind, its route. */
function eachRecord(
  { samples }: ProcessLog,
  visit: (start: number, end: number, kind: number, route: number) => void,
): void {
  for (const { records } of samples)
    for (let at = 0; at < records.length; at += 3) {
      const code = records[at + 2] as number;
      visit(records[at] as number, records[at + 1] as number, code % 4, Math.floor(code / 4));
    }
}

/**
 * What processes did within a span, out of what was told until its requests had ended.
 *
 * Of latencies those count that began within the span, whenever they ended: to take those that end within it would prefer
 * short ones. Of throughput those count that ended within it.
 */
export function figuresOf(processes: readonly ProcessLog[], span: Span): Figures {
  const { start: from, end: until } = span;
  const isWithin = (time: number): boolean => time >= from && time < until;
  const routes = new Map<string, number[]>();
  let [completed, failed, unfinished, growth] = [0, 0, 0, 0];
  const grow = (start: number, end: number): void => {
    if (start < until && end >= until) growth++;
    if (start < from && end >= from) growth--;
  };
  for (const log of processes) {
    eachRecord(log, (start, end, kind, route) => {
      if (kind === TURN) return;
      grow(start, end);
      if (isWithin(end) && kind !== ABORTED) completed++;
      if (isWithin(end) && kind === FAILED) failed++;
      if (kind !== ANSWERED || !isWithin(start)) return;
      const name = log.routes.get(route) ?? '(unknown)';
      const latencies = routes.get(name);
      if (latencies === undefined) routes.set(name, [end - start]);
      else latencies.push(end - start);
    });
    for (const start of log.samples.at(-1)?.open ?? []) {
      grow(start, Number.POSITIVE_INFINITY);
      if (isWithin(start)) unfinished++;
    }
  }
  return {
    seconds: (until - from) / 1000,
    ...{ completed, routes, failed, unfinished },
    inFlightGrowth: growth,
    loopDelayMs: loopDelay(processes, span),
    cpuCores: sum(processes.map((log) => cpuBetween(log, span))) / (until - from),
    busyThreads: busyThreads(processes, span),
  };
}

/** Requests that were answered within a span, so far. */
export function completedIn(processes: readonly ProcessLog[], { start: from, end: until }: Span): number {
  let count = 0;
  for (const log of processes)
    eachRecord(log, (_, end, kind) => {
      if (kind <= FAILED && end >= from && end < until) count++;
    });
  return count;
}

/** Whether a request goes on that began within a span, as far as is known. */
export const hasOpen = (processes: readonly ProcessLog[], { start: from, end: until }: Span): boolean =>
  processes.some(({ samples }) => samples.at(-1)?.open.some((start) => start >= from && start < until));

function loopDelay(
  processes: readonly ProcessLog[],
  { start: from, end: until }: Span,
): Window['loopDelayMs'] {
  const gaps: number[] = [];
  const add = (start: number, end: number): void => {
    if (start < until && end > from) gaps.push(end - Math.max(start, from));
  };
  for (const log of processes) {
    eachRecord(log, (start, end, kind) => {
      if (kind === TURN) add(start, end);
    });
    // A loop that is blocked has not turned.
    const last = log.samples.at(-1);
    if (last !== undefined) add(last.turn, last.at);
  }
  return { mean: meanEventLoopDelay(gaps, TURN_MS), ...eventLoopDelay(gaps, TURN_MS) };
}

/** Milliseconds of CPU between two times, in a straight line between samples. */
function cpuBetween({ samples }: ProcessLog, { start, end }: Span): number {
  return cpuAt(samples, end) - cpuAt(samples, start);
}

function cpuAt(samples: readonly Sample[], time: number): number {
  const after = samples.find(({ at }) => at >= time);
  const before = samples.findLast(({ at }) => at < time);
  if (after === undefined || before === undefined) return (after ?? before)?.cpuMs ?? 0;
  return before.cpuMs + ((after.cpuMs - before.cpuMs) * (time - before.at)) / (after.at - before.at);
}

function busyThreads(processes: readonly ProcessLog[], { start, end }: Span): number | null {
  const means = processes.map(({ samples }) => {
    const seen = samples.filter(({ at }) => at >= start && at < end);
    return sum(seen.map(({ busy }) => busy)) / seen.length;
  });
  const total = sum(means);
  return Number.isNaN(total) ? null : total;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
