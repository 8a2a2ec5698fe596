import { performance } from 'node:perf_hooks';
import { PlimsollError } from '../errors.js';
import type { MachineWatch } from '../lab/blocks.js';
import type { LoadRun } from '../results/load.js';
import { createRandom } from '../stats/random.js';
import { type Summary, summarise } from '../stats/summary.js';
import type { LoadCase } from './options.js';
import type { Target, TargetMeasurement } from './target/target.js';
import { within } from './target/wait.js';
import { poissonArrivals, regularArrivals } from './traffic/arrivals.js';
import { closedLoop } from './traffic/closed-loop.js';
import { type Ask, askFor, givingUp } from './traffic/exchange.js';
import { LATE_MS, type TrafficOutcome } from './traffic/outcome.js';
import { sendOnSchedule } from './traffic/schedule.js';

/** What one run measured; where it stands in its block is not known here. */
export type LoadMeasurement = Omit<
  LoadRun,
  'sequence' | 'block' | 'order' | 'twin' | 'disturbances' | 'superseded'
>;

export interface RunPlan {
  readonly traffic: LoadCase;
  /** `null` for a server whose operations are not known. */
  readonly operationsPerRequest: number | null;
  /** Of the schedule of an open loop: the same for every run. */
  readonly seed: number;
  readonly deadlineMs: number;
  /** What is loaded, for messages. */
  readonly what: string;
}

/** Requests a second of the bystander. */
export const BYSTANDER_RATE = 25;
const MOST_IN_FLIGHT = 2000;
const GRACE_MS = 10_000;
const WARM_UP_MS = 10_000;
/** For an answer after a process of the server died. */
const PATIENCE_MS = 5_000;
/** A client whose event loop is busier than this measures itself. */
const MOST_UTILIZATION = 0.7;
/** In a shorter run one collection of garbage is a large share. */
const LEAST_JUDGED_MS = 250;
/** The delay of the client's own sends may be so much of the latency that it measures. */
const MOST_LAG_SHARE = 0.1;

/**
 * Load one target once, and close it in any case.
 *
 * @throws {PlimsollError} when nothing could be measured; an AbortError when the signal aborts.
 */
export async function runLoad(
  plan: RunPlan,
  open: () => Promise<Target>,
  watch: MachineWatch,
  signal: AbortSignal,
): Promise<LoadMeasurement> {
  const target = await open();
  const over = new AbortController();
  let measurement: LoadMeasurement;
  let forced: string | null;
  try {
    const load = loadTarget(plan, target, watch, AbortSignal.any([signal, over.signal]));
    load.catch(() => {});
    const first = await within(plan.deadlineMs, signal, load);
    if (first === 'timeout')
      throw new PlimsollError(
        'PLIMSOLL_TARGET_HUNG',
        `${plan.what} was not done within ${plan.deadlineMs / 1000} s; give it less to do or more time (--deadline)`,
      );
    measurement = first;
  } finally {
    over.abort();
    forced = await target.close();
  }
  return forced === null ? measurement : { ...measurement, problems: [...measurement.problems, forced] };
}

async function loadTarget(
  plan: RunPlan,
  target: Target,
  watch: MachineWatch,
  signal: AbortSignal,
): Promise<LoadMeasurement> {
  const ask = givingUp(await askFor(target.url), target.died, PATIENCE_MS);
  const askBystander = target.bystander === null ? null : await askFor(target.bystander);
  // Not timed: the client's first request, and the first that a user's server answers.
  await within(WARM_UP_MS, signal, (askBystander ?? ask)(signal));
  if (plan.operationsPerRequest === null) await within(WARM_UP_MS, signal, ask(signal));

  const stop = new AbortController();
  watch.begin();
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
  const traffic = await send(plan, ask, signal);
  const sentAt = performance.timeOrigin + performance.now();
  const did = await target.finish();
  stop.abort();
  watch.end();
  const { utilization: busy } = performance.eventLoopUtilization(utilization);
  const beside = await bystander;
  const ends = did.endedAt?.map((endedAt) => endedAt - startedAt) ?? null;
  const completionMs = ends === null ? null : summarise(ends);
  const wallMs = completionMs?.max ?? sentAt - startedAt;
  return measured(plan, { traffic, beside, did, completionMs, wallMs, busy });
}

function send({ traffic, seed }: RunPlan, ask: Ask, signal: AbortSignal): Promise<TrafficOutcome> {
  if (traffic.kind === 'closed') return closedLoop(ask, traffic, signal);
  const arrivals = poissonArrivals(traffic.rate, traffic.durationMs, createRandom(seed));
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
  plan: RunPlan,
  { traffic, beside, did, completionMs, wallMs, busy }: Observed,
): LoadMeasurement {
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
    ['worker-died', did.died > 0],
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
  { operationsPerRequest }: RunPlan,
  { sent, failures }: TrafficOutcome,
  { operationsMs, operationFailures }: TargetMeasurement,
): number {
  if (operationsPerRequest === null || operationsMs === null) return 0;
  return Math.max(0, (sent - failures) * operationsPerRequest - operationsMs.length - operationFailures);
}

function nothingMeasured(
  { what, traffic: { kind } }: RunPlan,
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
