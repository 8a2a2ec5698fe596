import { sum } from '../../collections/sum.js';
import type { Sample } from '../child/messages.cjs';
import ring from '../child/ring.cjs';
import type { Window } from '../sample.js';

export interface ProcessLog {
  readonly samples: readonly Sample[];
  readonly routes: ReadonlyMap<number, string>;
}

/** A stretch of time, in milliseconds on the machine's monotonic clock. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

type Circumstances = 'block' | 'order' | 'arm' | 'size' | 'machineBusyCores' | 'queueWaitMs' | 'disturbed';
type Figures = Omit<Window, Circumstances> & { readonly inFlight: number };

const { FIELDS, KIND, TURN_MS } = ring;

export function eachRecord(
  samples: readonly Sample[],
  visit: (start: number, end: number, kind: number, route: number) => void,
): void {
  for (const { records } of samples)
    for (let at = 0; at < records.length; at += FIELDS) {
      const code = records[at + 2] as number;
      visit(records[at] as number, records[at + 1] as number, code % 4, Math.floor(code / 4));
    }
}

/** Latencies of requests that began within the span, as those that end in it are more often short; throughput of those that ended. */
export function figuresOf(processes: readonly ProcessLog[], span: Span): Figures {
  const { start: from, end: until } = span;
  const isWithin = (time: number): boolean => time >= from && time < until;
  const routes = new Map<string, number[]>();
  const late: number[] = [];
  const noteTurn = (start: number, end: number): void => {
    if (start < until && end > from) late.push(Math.max(0, end - Math.max(start, from - TURN_MS) - TURN_MS));
  };
  let [completed, failed, unfinished, inFlight, before] = [0, 0, 0, 0, 0];
  const noteUnderWay = (start: number, end: number): void => {
    if (start < until && end >= until) inFlight++;
    if (start < from && end >= from) before++;
  };
  for (const log of processes) {
    eachRecord(log.samples, (start, end, kind, route) => {
      if (kind === KIND.turn) return noteTurn(start, end);
      noteUnderWay(start, end);
      if (isWithin(end) && kind !== KIND.aborted) completed++;
      if (isWithin(end) && kind === KIND.failed) failed++;
      if (kind !== KIND.answered || !isWithin(start)) return;
      const name = log.routes.get(route) ?? '(unknown)';
      const latencies = routes.get(name);
      if (latencies === undefined) routes.set(name, [end - start]);
      else latencies.push(end - start);
    });
    const last = log.samples.at(-1);
    // A loop that is blocked has not turned.
    if (last !== undefined) noteTurn(last.turn, last.at);
    for (const start of last?.open ?? []) {
      noteUnderWay(start, Number.POSITIVE_INFINITY);
      if (isWithin(start)) unfinished++;
    }
  }
  const cpuMs = processes.map(({ samples }) => cpuAt(samples, until) - cpuAt(samples, from));
  return {
    seconds: (until - from) / 1000,
    ...{ completed, routes, failed, unfinished, inFlight },
    inFlightGrowth: inFlight - before,
    loopDelayMs: delayOfTimers(late),
    cpuCores: sum(cpuMs) / (until - from),
    busyThreads: busyThreads(processes, span),
  };
}

/** When the longest of the requests began that are still open and began within a span. */
export function firstOpen(processes: readonly ProcessLog[], { start, end }: Span): number | null {
  const open = processes.flatMap(({ samples }) => samples.at(-1)?.open ?? []);
  const starts = open.filter((time) => time >= start && time < end);
  return starts.length === 0 ? null : Math.min(...starts);
}

/**
 * The delay of a timer that falls due at a random moment, from how late a timer was that is due `TURN_MS` after it last fired. Each
 * lateness stands for the moments before it was due, whose delays nobody saw, and for those until it fired, whose delays go down to
 * none: so a stall counts for its length, although the timer fires once in it.
 */
export function delayOfTimers(late: readonly number[]): Window['loopDelayMs'] {
  if (late.length === 0) return { mean: 0, p99: 0 };
  const falling = late.toSorted((a, b) => b - a);
  const time = sum(late) + TURN_MS * late.length;
  const mean = sum(late.map((delay) => TURN_MS * delay + delay ** 2 / 2)) / time;
  let total = 0;
  for (const [index, delay] of falling.entries()) {
    total += delay;
    const longer = index + 1;
    // So many moments wait longer than `delay`, and one step below: than less and less.
    const least = TURN_MS * longer + total - 0.01 * time;
    if (least >= longer * delay) return { mean, p99: delay };
    if (least >= longer * (falling[longer] ?? 0)) return { mean, p99: least / longer };
  }
  return { mean, p99: 0 };
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
    return sum(seen.map(({ busy }) => busy ?? Number.NaN)) / seen.length;
  });
  const total = sum(means);
  return Number.isNaN(total) ? null : total;
}
