import { type Machine, machineOf } from '../model/machine.js';
import { requestsIn } from '../model/request-measures.js';
import { simulate } from '../model/simulate.js';
import type { Workload } from '../model/workload.js';
import type { Trace, TracedRequest } from '../results/trace.js';
import { type Calibrated, calibrate } from './calibrate.js';
import { latenciesGrow, underWay } from './clients.js';
import { type Demand, estimate } from './estimate.js';

/** What was asked of which machine. */
export interface Understood {
  readonly demand: Demand;
  /** The machine that was recorded on. */
  readonly host: Machine;
  readonly calibrated: Calibrated;
}

/** Requests that came at their own times are not so many times as slow, or as quick, as a simulation of them says. */
const MISFIT = 1.5;
/** A queue that always stands: less than this share of what requests took was work. */
const LEAST_WORK = 0.5;
/** And as many are always under way: at random moments their number varies by as much as it is, where they queue for so long. */
const MOST_VARIATION = 0.25;

/**
 * Tell from a trace what was asked, and how it came.
 *
 * What passes for an open stream may have been clients: such as those in the process itself that open a connection for each
 * request. What is under way then has a bound, and a queue of nearly the same length stands all the time. Or a simulation of
 * the recorded run at fixed times is far from what was recorded, and that of clients who wait for answers is nearer. An open
 * stream that overloads its server has requests that take longer and longer.
 */
export function understand(trace: Trace, seed: number, sliceMs?: number): Understood {
  const by = (allWait: boolean): Understood => {
    const demand = estimate(trace, allWait);
    const host = machineOf(trace.environment, demand.wakeMs, demand.otherCores, sliceMs);
    return { demand, host, calibrated: calibrate(demand, host, seed) };
  };
  const seen = by(false);
  const isOpen = seen.demand.workload.requests?.clients.includes(-1) ?? false;
  const asked = trace.processes.flatMap(({ requests }) => requests);
  if (!isOpen || latenciesGrow(asked)) return seen;
  if (isStanding(asked, seen.demand.workload)) return by(true);
  if (misfit(seen, seed) < MISFIT) return seen;
  const waiting = by(true);
  return misfit(waiting, seed) < misfit(seen, seed) ? waiting : seen;
}

function isStanding(
  requests: readonly TracedRequest[],
  { cpuMs, blockedMs, beforeMs, afterMs }: Workload,
): boolean {
  const sum = (values: ArrayLike<number>): number =>
    Array.from(values).reduce((total, value) => total + value, 0);
  const tookMs = sum(requests.map(({ startMs, endMs }) => (endMs ?? startMs) - startMs));
  if (sum(cpuMs) + sum(blockedMs) + sum(beforeMs) + sum(afterMs) >= LEAST_WORK * tookMs) return false;
  const counts = underWay(requests);
  const mean = sum(counts) / counts.length;
  return Math.sqrt(sum(counts.map((count) => (count - mean) ** 2)) / counts.length) < MOST_VARIATION * mean;
}

/** The factor between what requests took by a simulation of the recorded run and what they took, 1 or more. */
function misfit({ demand, calibrated: { workload, machine } }: Understood, seed: number): number {
  const { size, measured } = demand;
  const found = requestsIn(workload, simulate(workload, { size, machine, seed }))?.latencyMs.mean ?? 0;
  const real = measured.requests?.latencyMs.mean ?? 0;
  return found > 0 && real > 0 ? Math.max(found / real, real / found) : 1;
}
