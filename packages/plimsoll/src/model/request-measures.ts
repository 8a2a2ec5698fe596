import { itemAt } from '../collections/item-at.js';
import { quantileOfSorted } from '../stats/quantile.js';
import type { Operations, Passage, Requests, Workload } from './workload.js';

/** Times in milliseconds. */
export interface LatencySpread {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** What those felt who asked. */
export interface RequestMeasures {
  /** From when the event loop took it up to the end of its answer. */
  readonly latencyMs: LatencySpread;
  /** Requests answered a second. */
  readonly perSecond: number;
  /** They come faster than they can be served, so that the queue grows for ever. */
  readonly isOverloaded: boolean;
  readonly routes: readonly RouteMeasures[];
}

export interface RouteMeasures {
  readonly route: string;
  readonly count: number;
  /** NaN where none of it was answered. */
  readonly latencyMs: LatencySpread;
  readonly perSecond: number;
}

export interface OperationMeasures {
  readonly name: string;
  readonly count: number;
  readonly latencyMs: { readonly mean: number; readonly p99: number };
}

/** A request that was answered. */
export interface Answered {
  readonly route: string;
  readonly startMs: number;
  readonly endMs: number;
  /** It comes from clients who wait for an answer before they ask again. */
  readonly isFromClients: boolean;
}

/** `null` when there is none. */
export function measureRequests(all: readonly Answered[], routes: readonly string[]): RequestMeasures | null {
  if (all.length === 0) return null;
  const seconds = perSecond(all);
  return {
    latencyMs: spreadOf(all.map(({ startMs, endMs }) => endMs - startMs)),
    perSecond: seconds,
    isOverloaded: false,
    routes: routes.map((route) => {
      const own = all.filter((one) => one.route === route);
      return {
        route,
        count: own.length,
        latencyMs: spreadOf(own.map(({ startMs, endMs }) => endMs - startMs)),
        perSecond: (seconds * own.length) / all.length,
      };
    }),
  };
}

/**
 * Clients stop asking at the end of a run, and those who are answered last have the server to themselves: with any of them,
 * what counts is the time until the last request came.
 */
function perSecond(all: readonly Answered[]): number {
  let first = Number.POSITIVE_INFINITY;
  let lastStart = 0;
  let lastEnd = 0;
  for (const { startMs, endMs } of all) {
    first = Math.min(first, startMs);
    lastStart = Math.max(lastStart, startMs);
    lastEnd = Math.max(lastEnd, endMs);
  }
  const until = all.some(({ isFromClients }) => isFromClients) ? lastStart : lastEnd;
  const served = all.filter(({ endMs }) => endMs <= until).length;
  if (until > first && served > 0) return (1000 * served) / (until - first);
  return lastEnd > first ? (1000 * all.length) / (lastEnd - first) : 0;
}

export function spreadOf(values: readonly number[]): LatencySpread {
  if (values.length === 0) return { mean: Number.NaN, p50: Number.NaN, p95: Number.NaN, p99: Number.NaN };
  const sorted = Float64Array.from(values).sort();
  const at = (q: number): number => quantileOfSorted(sorted as unknown as readonly number[], q);
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
  };
}

/** What the requests of a workload came to in a passage. */
export function requestsIn({ requests }: Workload, passage: Passage): RequestMeasures | null {
  return requests === undefined ? null : measureRequests(answeredIn(requests, passage), requests.routes);
}

function answeredIn(requests: Requests, { startMs, callbackMs }: Passage): Answered[] {
  const all: Answered[] = [];
  for (let request = 0; request < requests.end.length; request++)
    if (requests.answered[request] === 1)
      all.push({
        route: itemAt(requests.routes, itemAt(requests.route, request)),
        startMs: itemAt(startMs, itemAt(requests.arrival, request)),
        endMs: itemAt(callbackMs, itemAt(requests.end, request)),
        isFromClients: itemAt(requests.clients, request) !== -1,
      });
  return all;
}

/** What the operations of a workload came to in a passage, by name, the most frequent first. */
export function operationsIn({ operations }: Workload, passage: Passage): OperationMeasures[] {
  if (operations === undefined) return [];
  const { names, name, extraMs } = operations;
  const taken = timesOf(operations, passage);
  const byName = names.map((): number[] => []);
  for (const [operation, ms] of taken.entries())
    if (ms >= 0) itemAt(byName, itemAt(name, operation)).push(ms + itemAt(extraMs, operation));
  return measureOperations(names.map((one, at) => [one, itemAt(byName, at)]));
}

export const measureOperations = (
  byName: readonly (readonly [string, readonly number[]])[],
): OperationMeasures[] =>
  byName
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => {
      const { mean, p99 } = spreadOf(values);
      return { name, count: values.length, latencyMs: { mean, p99 } };
    })
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));

/** Of each operation, from the submission of its first job to the callback of its last; negative without a job. */
function timesOf({ of, name }: Operations, { submitMs, callbackMs }: Passage): Float64Array {
  const first = new Float64Array(name.length).fill(Number.POSITIVE_INFINITY);
  const last = new Float64Array(name.length).fill(Number.NEGATIVE_INFINITY);
  for (const [step, operation] of of.entries()) {
    if (operation === -1) continue;
    first[operation] = Math.min(itemAt(first, operation), itemAt(submitMs, step));
    last[operation] = Math.max(itemAt(last, operation), itemAt(callbackMs, step));
  }
  return last.map((ms, operation) => (ms < itemAt(first, operation) ? -1 : ms - itemAt(first, operation)));
}
