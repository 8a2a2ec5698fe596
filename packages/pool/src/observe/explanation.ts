import { availableParallelism } from 'node:os';
import type { Core } from '../host/core.js';
import { readCpuQuota } from '../host/cpu-quota.js';
import type { Histogram } from '../shared/histogram.js';
import { adviceFor } from './advice.js';
import { type Breakdown, PHASES } from './breakdown.js';
import type { TaskPhases } from './phases.js';
import type { Explanation, Spread, TaskExplanation } from './types.js';

const NANOS = 1e6;

export function explanationOf(core: Core, phases: TaskPhases, quota = readCpuQuota()): Explanation {
  const breakdowns = [...phases.breakdowns].sort((one, other) => other.total.sum - one.total.sum);
  const { utilization, delay } = phases.hostLoop;
  const at = (percent: number): number => delay.percentile(percent) / NANOS;
  const { minThreads, maxThreads } = core.options;
  const facts = {
    duration: core.duration - phases.startedAt,
    tasks: breakdowns.map(taskExplanation),
    host: { utilization, loopDelay: { mean: delay.mean / NANOS, p50: at(50), p99: at(99) } },
    workers: {
      minThreads,
      maxThreads,
      most: phases.mostWorkers,
      cores: Math.min(availableParallelism(), quota ?? Number.POSITIVE_INFINITY),
      quota,
    },
  };
  return { ...facts, advice: adviceFor(facts, breakdowns) };
}

function taskExplanation(breakdown: Breakdown): TaskExplanation {
  const { filename, name, failed, total, phases, sending } = breakdown;
  const { promised, promisedRun, promisedIdle } = breakdown;
  return {
    filename,
    name,
    count: total.count,
    failed,
    total: spreadOf(total),
    phases: Object.fromEntries(
      PHASES.map((phase) => [phase, { ...spreadOf(phases[phase]), share: phases[phase].sum / total.sum }]),
    ) as TaskExplanation['phases'],
    foundFree: sending.count,
    sending: spreadOf(sending),
    promises: { count: promised, busy: 1 - promisedIdle / promisedRun },
  };
}

function spreadOf(histogram: Histogram): Spread {
  if (histogram.count === 0) return { mean: Number.NaN, p50: Number.NaN, p99: Number.NaN };
  return { mean: histogram.mean, p50: histogram.percentile(50), p99: histogram.percentile(99) };
}
