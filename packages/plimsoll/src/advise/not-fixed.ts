import { DEFAULT_POOL_SIZE, slowJobLimit } from '../libuv/pool-size.js';
import type { Machine } from '../model/machine.js';
import type { Workload } from '../model/workload.js';
import type { Budget, Objective, Prediction } from '../results/advice.js';
import { AS_GOOD, cost, figure, type Unit, unitFor } from './recommend.js';

/** What no pool size will fix, and the numbers that say so. */
export type NotFixed =
  | {
      readonly id: 'advise.overloaded';
      readonly sizes: number[];
      readonly arrivingPerSecond: number;
      /** At the size that serves most. */
      readonly servedPerSecond: number;
      /** No size that was predicted can serve them. */
      readonly isEverywhere: boolean;
    }
  | {
      readonly id: 'advise.no-size-helps';
      readonly objective: Objective;
      readonly unit: Unit;
      readonly size: number;
      readonly value: number;
      readonly standardSize: number;
      readonly standardValue: number;
    }
  | {
      readonly id: 'advise.cores-saturated';
      readonly size: number;
      readonly limit: 'cores' | 'quota';
      readonly cores: number;
      readonly coresUsed: number;
    }
  | { readonly id: 'advise.event-loop-busy'; readonly size: number; readonly busyShare: number }
  | {
      readonly id: 'advise.waits-for-event-loop';
      readonly eventLoopMs: number;
      readonly latencyShare: number;
    }
  | {
      readonly id: 'advise.blocked-outside';
      readonly size: number;
      readonly blockedMs: number;
      readonly latencyMs: number;
    }
  | {
      readonly id: 'advise.lookups-behind-others';
      readonly size: number;
      readonly lookups: number;
      readonly jobs: number;
      readonly threadsForLookups: number;
    }
  | {
      readonly id: 'advise.pool-not-the-limit';
      readonly size: number;
      readonly queueWaitMs: number;
      readonly serviceMs: number;
    }
  | { readonly id: 'advise.others-on-the-machine'; readonly outsideCores: number; readonly cores: number };

export interface NotFixedContext {
  readonly workload: Workload;
  readonly machine: Machine;
  readonly outsideCores: number;
  readonly budget: Budget;
  readonly chosen: Prediction;
  readonly predictions: readonly Prediction[];
  readonly objective: Objective;
  /** At which requests come that do not wait for answers, a second. */
  readonly arrivingPerSecond: number;
}

type Rule = (context: NotFixedContext) => NotFixed | null;

const SATURATED = 0.9;
const BUSY_LOOP = 0.7;
const MOST_OF = 0.5;
const LATENCY_SHARE = 0.2;
const NO_WAIT = 0.1;
const OUTSIDE_CORES = 0.2;

export const notFixedBySize = (context: NotFixedContext): NotFixed[] =>
  RULES.map((rule) => rule(context)).filter((finding) => finding !== null);

const total = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0);

const overloaded: Rule = ({ predictions, arrivingPerSecond }) => {
  const sizes = predictions.filter(({ requests }) => requests?.isOverloaded).map(({ size }) => size);
  if (sizes.length === 0) return null;
  return {
    id: 'advise.overloaded',
    sizes,
    arrivingPerSecond,
    servedPerSecond: Math.max(...predictions.map(({ requests }) => requests?.perSecond ?? 0)),
    isEverywhere: sizes.length === predictions.length,
  };
};

const noSizeHelps: Rule = ({ predictions, objective }) => {
  const standard = predictions.find(({ size }) => size === DEFAULT_POOL_SIZE);
  const [first] = predictions;
  if (standard === undefined || first === undefined || predictions.length < 2) return null;
  const best = predictions.reduce((least, one) =>
    cost(one, objective) < cost(least, objective) ? one : least,
  );
  if (cost(standard, objective) > AS_GOOD * cost(best, objective)) return null;
  return {
    id: 'advise.no-size-helps',
    objective,
    unit: unitFor(standard, objective),
    size: best.size,
    value: figure(best, objective),
    standardSize: standard.size,
    standardValue: figure(standard, objective),
  };
};

const cpuOfLoops = ({ beforeMs, afterMs, background }: Workload, makespanMs: number): number =>
  total(beforeMs) + total(afterMs) + background.reduce((sum, { share }) => sum + share * makespanMs, 0);

const coresSaturated: Rule = ({ workload, machine, chosen }) => {
  const cores = machine.quota ?? machine.cores;
  const computing = total(workload.cpuMs) + cpuOfLoops(workload, chosen.makespanMs);
  const coresUsed = computing / Math.max(1e-9, chosen.makespanMs) + machine.otherCores;
  if (coresUsed < SATURATED * cores) return null;
  const limit = machine.quota === null ? 'cores' : 'quota';
  return { id: 'advise.cores-saturated', size: chosen.size, limit, cores, coresUsed };
};

const loopBusy: Rule = ({ workload, chosen }) => {
  const busyShare =
    cpuOfLoops(workload, chosen.makespanMs) / Math.max(1e-9, chosen.makespanMs * workload.loopProcess.length);
  return busyShare < BUSY_LOOP ? null : { id: 'advise.event-loop-busy', size: chosen.size, busyShare };
};

const loopWait: Rule = ({ budget }) => {
  const eventLoopMs = budget.eventLoopMs.mean;
  const latencyShare = eventLoopMs / Math.max(1e-9, meanLatency(budget));
  return latencyShare < LATENCY_SHARE
    ? null
    : { id: 'advise.waits-for-event-loop', eventLoopMs, latencyShare };
};

const meanLatency = ({ queueWaitMs, coreWaitMs, cpuMs, blockedMs, eventLoopMs }: Budget): number =>
  queueWaitMs.mean + coreWaitMs.mean + cpuMs.mean + blockedMs.mean + eventLoopMs.mean;

const blockedOutside: Rule = ({ workload, chosen }) => {
  const blockedMs = total(workload.blockedMs) / workload.count;
  const latencyMs = chosen.latencyMs.mean;
  return blockedMs < MOST_OF * latencyMs
    ? null
    : { id: 'advise.blocked-outside', size: chosen.size, blockedMs, latencyMs };
};

const lookupsBehindOthers: Rule = ({ workload, chosen: { size } }) => {
  const lookups = total(workload.slow);
  if (lookups === 0 || lookups === workload.count) return null;
  return {
    id: 'advise.lookups-behind-others',
    size,
    lookups,
    jobs: workload.count,
    threadsForLookups: slowJobLimit(size),
  };
};

const poolNeverWaited: Rule = ({ predictions, workload }) => {
  const standard = predictions.find(({ size }) => size === DEFAULT_POOL_SIZE);
  if (standard === undefined) return null;
  const queueWaitMs = standard.queueWaitMs.mean;
  const serviceMs = (total(workload.cpuMs) + total(workload.blockedMs)) / workload.count;
  return queueWaitMs > NO_WAIT * serviceMs
    ? null
    : { id: 'advise.pool-not-the-limit', size: DEFAULT_POOL_SIZE, queueWaitMs, serviceMs };
};

const othersOnTheMachine: Rule = ({ outsideCores, machine: { cores } }) =>
  outsideCores < OUTSIDE_CORES ? null : { id: 'advise.others-on-the-machine', outsideCores, cores };

const RULES: readonly Rule[] = [
  overloaded,
  noSizeHelps,
  coresSaturated,
  loopBusy,
  loopWait,
  blockedOutside,
  lookupsBehindOthers,
  poolNeverWaited,
  othersOnTheMachine,
];
