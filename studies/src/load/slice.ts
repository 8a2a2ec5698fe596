import { performance } from 'node:perf_hooks';
import { createRandom, PlimsollError, type Used } from '@plimsoll/lab';
import type { LoadRound } from './result.js';
import type { SliceTraffic } from './slices.js';
import { type Summary, summarise } from './summary.js';
import type { Target, TargetMeasurement } from './target/target.js';
import { poissonArrivals, regularArrivals } from './traffic/arrivals.js';
import { closedLoop } from './traffic/closed-loop.js';
import { type Ask, askFor, givingUp } from './traffic/exchange.js';
import { LATE_MS, type TrafficOutcome } from './traffic/outcome.js';
import { sendOnSchedule } from './traffic/schedule.js';

/** What one slice measured; where it stands in its block is not known here. */
export type LoadMeasurement = Omit<LoadRound, 'generation' | 'block' | 'order' | 'twin'> & Used;

export interface SlicePlan {
  readonly traffic: SliceTraffic;
  /** `null` for a server whose operations are not known. */
  readonly operationsPerRequest: number | null;
  /** Of the schedules of an open loop: the n-th slice of every size is the same. */
  readonly seed: number;
  readonly deadlineMs: number;
  /** Processes that share its connections. */
  readonly instances: number;
  /** What is loaded, for messages. */
  readonly what: string;
}

/** Requests a second of the bystander. */
export const BYSTANDER_RATE = 25;
const MOST_IN_FLIGHT = 2000;
const GRACE_MS = 10_000;
/** For an answer after a process of the server died. */
const PATIENCE_MS = 5_000;
/** A client whose event loop is busier than this measures itself. */
const MOST_UTILIZATION = 0.7;
/** In a shorter run one collection of garbage is a large share. */
const LEAST_JUDGED_MS = 250;
/** The delay of the client's own sends may be so much of the latency that it measures. */
const MOST_LAG_SHARE = 0.1;

/** How a target is asked. */
export interface Clients {
  readonly ask: Ask;
  readonly askBystander: Ask | null;
}

/** @throws the error of looking its name up. */
export async function clientsOf(target: Target): Promise<Clients> {
  return {
    ask: givingUp(await askFor(target.url), target.died, PATIENCE_MS),
    askBystander: target.bystander === null ? null : await askFor(target.bystander),
  };
}

/**
 * Give a target one slice of its traffic.
 *
 * @param index of the slice among those of its target's size.
 * @throws {PlimsollError} when nothing could be measured, or a process of it died; an AbortError when the signal aborts.
 */
export async function loadSlice(
  plan: SlicePlan,
  index: number,
  target: Target,
  { ask, askBystander }: Clients,
  signal: AbortSignal,
): Promise<Omit<LoadMeasurement, 'disturbances'>> {
  const stop = new AbortController();
  target.begin();
  const utilization = performance.eventLoopUtilization();
  const startedAt = performance.timeOrigin + performance.now();
  const bystander =
    askBystander === null
      ? null
      : sendOnSchedule(
          askBystander,
          regularArrivals(BYSTANDER_RATE),
          { stop: stop.signal, mostInFlight: MOST_IN_FLIGHT, graceMs: GRACE_MS },
          signal,
        );
  bystander?.catch(() => {});
  const traffic = await send(plan, index, ask, signal);
  const sentAt = performance.timeOrigin + performance.now();
  const did = await target.finish();
  stop.abort();
  const { utilization: busy } = performance.eventLoopUtilization(utilization);
  const beside = await bystander;
  const ends = did.endedAt?.map((endedAt) => endedAt - startedAt) ?? null;
  const completionMs = ends === null ? null : summarise(ends);
  const wallMs = completionMs?.max ?? sentAt - startedAt;
  if (did.died > 0)
    throw new PlimsollError(
      'PLIMSOLL_TARGET_DIED',
      `a process of the server died under the load at ${plan.what}`,
    );
  return measured(plan, { traffic, beside, did, completionMs, wallMs, busy });
}

function send(
  { traffic, seed }: SlicePlan,
  index: number,
  ask: Ask,
  signal: AbortSignal,
): Promise<TrafficOutcome> {
  if (traffic.kind === 'closed') return closedLoop(ask, traffic, signal);
  const arrivals = poissonArrivals(traffic.rate, traffic.durationMs, createRandom(seed + index));
  return sendOnSchedule(ask, arrivals, { mostInFlight: MOST_IN_FLIGHT, graceMs: GRACE_MS }, signal);
}

interface Observed {
  readonly traffic: TrafficOutcome;
  readonly beside: TrafficOutcome | null;
  readonly did: TargetMeasurement;
  readonly completionMs: Summary | null;
  readonly wallMs: number;
  readonly busy: number;
}

function measured(
  plan: SlicePlan,
  { traffic, beside, did, completionMs, wallMs, busy }: Observed,
): Omit<LoadMeasurement, 'disturbances'> {
  const httpMs = summarise(traffic.latenciesMs);
  const operationMs = did.operationsMs === null ? null : summarise(did.operationsMs);
  const firstFailure = traffic.firstFailure ?? did.firstFailure;
  if (httpMs === null || (did.operationsMs !== null && operationMs === null))
    throw nothingMeasured(plan, traffic, did);
  const lost = lostOperations(plan, traffic, did);
  const lags = traffic.lagsMs.length > 0 ? traffic.lagsMs : (beside?.lagsMs ?? []);
  const lagP99Ms = summarise(lags)?.p99 ?? null;
  const errors = traffic.failures + did.operationFailures + lost;
  const lagging =
    plan.traffic.kind === 'open' &&
    lagP99Ms !== null &&
    lagP99Ms > Math.max(LATE_MS, MOST_LAG_SHARE * httpMs.p99);
  const problems: [string, boolean][] = [
    ['errors', errors > 0],
    ['dropped', traffic.dropped > 0],
    ['unfinished', traffic.unfinished > 0],
    ['generator-bound', lagging || (wallMs >= LEAST_JUDGED_MS && busy > MOST_UTILIZATION)],
  ];
  return {
    observedThreads: [...did.observedThreads],
    operationMs,
    completionMs,
    httpMs,
    bystanderMs: beside === null ? null : summarise(beside.latenciesMs),
    eventLoopDelayMs: did.eventLoopDelayMs,
    wallMs,
    throughput: ((operationMs?.count ?? httpMs.count) * 1000) / wallMs,
    cpuSeconds: did.cpuSeconds,
    maxRssBytes: did.maxRssBytes,
    errors,
    firstFailure,
    sent: traffic.sent,
    sentLate: traffic.sentLate,
    dropped: traffic.dropped,
    unfinished: traffic.unfinished,
    generator: { lagP99Ms, utilization: busy },
    problems: [...problems.filter(([, deserved]) => deserved).map(([problem]) => problem), ...did.problems],
  };
}

/** Operations of answered requests that nobody reported: their worker died. */
function lostOperations(
  { operationsPerRequest }: SlicePlan,
  { sent, failures }: TrafficOutcome,
  { operationsMs, operationFailures }: TargetMeasurement,
): number {
  if (operationsPerRequest === null || operationsMs === null) return 0;
  return Math.max(0, (sent - failures) * operationsPerRequest - operationsMs.length - operationFailures);
}

function nothingMeasured(
  { what, traffic: { kind } }: SlicePlan,
  traffic: TrafficOutcome,
  did: TargetMeasurement,
): PlimsollError {
  if (traffic.sent === 0)
    return new PlimsollError(
      'PLIMSOLL_USAGE',
      `--rate and --duration: no request fell into the time${kind === 'open' ? '; ask for more or longer' : ''}`,
    );
  if (traffic.failures > 0 && traffic.latenciesMs.length === 0)
    return new PlimsollError(
      'PLIMSOLL_UNREACHABLE',
      `${what}: all of ${traffic.sent} requests failed (${traffic.firstFailure})`,
    );
  return new PlimsollError(
    'PLIMSOLL_WORKLOAD_FAILED',
    `${what}: every operation failed (${did.firstFailure ?? 'its worker died'})`,
  );
}
