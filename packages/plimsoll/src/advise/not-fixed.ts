import { DEFAULT_POOL_SIZE, slowJobLimit } from '../libuv/pool-size.js';
import type { Machine } from '../model/machine.js';
import type { Workload } from '../model/workload.js';
import type { Budget, Prediction } from '../results/advice.js';
import type { Finding } from '../results/finding.js';
import { ms, percent } from '../results/words.js';

export interface NotFixedContext {
  readonly workload: Workload;
  readonly machine: Machine;
  readonly outsideCores: number;
  readonly budget: Budget;
  readonly chosen: Prediction;
  readonly predictions: readonly Prediction[];
}

type Rule = (context: NotFixedContext) => Finding | null;

const SATURATED = 0.9;
const BUSY_LOOP = 0.7;
const MOST_OF = 0.5;
const NO_WAIT = 0.1;
const OUTSIDE_CORES = 0.2;

/** What no pool size will fix, with the figures that say so. */
export const notFixedBySize = (context: NotFixedContext): Finding[] =>
  RULES.map((rule) => rule(context)).filter((finding) => finding !== null);

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

const cpuOfLoops = ({ beforeMs, afterMs, background }: Workload, makespanMs: number): number =>
  total(beforeMs) + total(afterMs) + background.reduce((sum, { share }) => sum + share * makespanMs, 0);

const coresSaturated: Rule = ({ workload, machine, chosen }) => {
  const limit = machine.quota ?? machine.cores;
  const used =
    (total(workload.cpuMs) + cpuOfLoops(workload, chosen.makespanMs)) / Math.max(1e-9, chosen.makespanMs) +
    machine.otherCores;
  if (used < SATURATED * limit) return null;
  const name = machine.quota === null ? 'cores' : 'quota';
  return {
    id: 'advise.cores-saturated',
    severity: 'advice',
    text: `the ${name} (${limit}) would be busy ${percent(Math.min(1, used / limit))} % of the time at ${chosen.size}: only more of it, or less work, makes this faster; see --cores, --quota, --faster`,
    evidence: { cores: limit, used },
  };
};

const loopBusy: Rule = ({ workload, chosen }) => {
  const share =
    cpuOfLoops(workload, chosen.makespanMs) / Math.max(1e-9, chosen.makespanMs * workload.loopProcess.length);
  if (share < BUSY_LOOP) return null;
  return {
    id: 'advise.event-loop-busy',
    severity: 'advice',
    text: `the event loop computes ${percent(Math.min(1, share))} % of the time: results wait for it, whatever the size; move work off it`,
    evidence: { share },
  };
};

const loopWait: Rule = ({ budget, chosen }) => {
  const share = budget.eventLoopMs.mean / Math.max(1e-9, meanLatency(budget));
  if (share < 0.2) return null;
  return {
    id: 'advise.waits-for-event-loop',
    severity: 'advice',
    text: `results were ready for ${ms(budget.eventLoopMs.mean)} ms on average before the event loop took them, ${percent(share)} % of the latency`,
    evidence: { eventLoopMs: budget.eventLoopMs.mean, share, size: chosen.size },
  };
};

const meanLatency = ({ queueWaitMs, coreWaitMs, cpuMs, blockedMs, eventLoopMs }: Budget): number =>
  queueWaitMs.mean + coreWaitMs.mean + cpuMs.mean + blockedMs.mean + eventLoopMs.mean;

const blockedOutside: Rule = ({ workload, chosen }) => {
  const blocked = total(workload.blockedMs) / workload.count;
  if (blocked < MOST_OF * chosen.latencyMs.mean) return null;
  return {
    id: 'advise.blocked-outside',
    severity: 'advice',
    text: `${ms(blocked)} of ${ms(chosen.latencyMs.mean)} ms are neither queue nor CPU at ${chosen.size}: a disk, a resolver, a lock; a pool can only have more of them wait at the same time`,
    evidence: { blockedMs: blocked, latencyMs: chosen.latencyMs.mean },
  };
};

const lookups: Rule = ({ workload, chosen }) => {
  const slow = total(Float64Array.from(workload.slow));
  if (slow === 0 || slow === workload.count) return null;
  return {
    id: 'advise.lookups-behind-others',
    severity: 'note',
    text: `${slow} of ${workload.count} jobs are lookups: with a backlog one of them is served for each pass of the queue, and at most ${slowJobLimit(chosen.size)} of ${chosen.size} threads serve them; keep connections alive, cache names or use dns.resolve`,
    evidence: { slow, jobs: workload.count, size: chosen.size },
  };
};

const poolNeverWaited: Rule = ({ predictions, workload }) => {
  const standard = predictions.find(({ size }) => size === DEFAULT_POOL_SIZE);
  if (standard === undefined) return null;
  const service = (total(workload.cpuMs) + total(workload.blockedMs)) / workload.count;
  if (standard.queueWaitMs.mean > NO_WAIT * service) return null;
  return {
    id: 'advise.pool-not-the-limit',
    severity: 'note',
    text: `with ${DEFAULT_POOL_SIZE} threads a job waits ${standard.queueWaitMs.mean.toFixed(2)} ms for one on average and takes ${service.toFixed(2)} ms: the pool is not what holds this up`,
    evidence: { queueWaitMs: standard.queueWaitMs.mean, serviceMs: service },
  };
};

const others: Rule = ({ outsideCores, machine }) =>
  outsideCores < OUTSIDE_CORES
    ? null
    : {
        id: 'advise.others-on-the-machine',
        severity: 'warning',
        text: `while this was recorded others had ${outsideCores.toFixed(1)} of ${machine.cores} cores: the predictions have that stay; record on a quieter machine if it will not`,
        evidence: { outsideCores, cores: machine.cores },
      };

const RULES: readonly Rule[] = [
  coresSaturated,
  loopBusy,
  loopWait,
  blockedOutside,
  lookups,
  poolNeverWaited,
  others,
];
